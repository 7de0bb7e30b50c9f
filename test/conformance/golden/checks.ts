import { clusterAdmission, webhookAdmission } from './admission.js';
import type { Check } from './check.js';
import { generalEstimates, modeling } from './estimators.js';
import { nativeInterpretation } from './interpreter.js';
import { affinities, changes, selectors } from './matching.js';
import { derivedNames } from './names.js';
import { overrides } from './overrides.js';
import { protobufBothWays, protobufRead, protobufWritten } from './protobuf.js';
import { scheduling } from './scheduling.js';

/** Every function that has vectors. The report lists all other vectors as not run. */
export const checks: readonly Check[] = [
  webhookAdmission,
  clusterAdmission,
  generalEstimates,
  modeling,
  nativeInterpretation,
  selectors,
  affinities,
  changes,
  derivedNames,
  overrides,
  protobufWritten,
  protobufRead,
  protobufBothWays,
  scheduling,
];
