import { clusterAdmission, webhookAdmission } from './admission.js';
import type { Check } from './check.js';
import { generalEstimates, modeling } from './estimators.js';
import { nativeInterpretation } from './interpreter.js';
import { affinities, changes, selectors, usage } from './matching.js';
import { derivedNames } from './names.js';
import { overrides } from './overrides.js';
import { protobufBothWays, protobufRead, protobufWritten } from './protobuf.js';
import { scheduling } from './scheduling.js';

/** Every function that has vectors. `not-run.ts` lists all other vectors. */
export const checks: readonly Check[] = [
  webhookAdmission,
  clusterAdmission,
  generalEstimates,
  modeling,
  nativeInterpretation,
  selectors,
  affinities,
  changes,
  usage,
  derivedNames,
  overrides,
  protobufWritten,
  protobufRead,
  protobufBothWays,
  scheduling,
];
