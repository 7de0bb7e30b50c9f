import { clusterAdmission, webhookAdmission } from './admission.js';
import type { Check } from './check.js';
import { accurateComponents, accurateEstimates, generalComponents, generalEstimates, modeling } from './estimators.js';
import { nativeInterpretation, thirdPartyInterpretations } from './interpreter.js';
import { affinities, changes, selectors, usage } from './matching.js';
import { derivedNames } from './names.js';
import { overrides } from './overrides.js';
import { protobufBothWays, protobufRead, protobufWritten } from './protobuf.js';
import { scheduling } from './scheduling.js';

/** Every function that has vectors. `not-run.ts` lists all other vectors of `test/data`. */
export const checks: readonly Check[] = [
  webhookAdmission,
  clusterAdmission,
  generalEstimates,
  generalComponents,
  accurateEstimates,
  accurateComponents,
  modeling,
  nativeInterpretation,
  ...thirdPartyInterpretations,
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
