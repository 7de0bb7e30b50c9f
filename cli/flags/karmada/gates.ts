import {
  featureGateNames,
  type FeatureGates,
  parseFeatureGates,
  UnknownFeatureGate,
} from '../../../kinds/karmada/feature-gates.js';
import { didYouMean, invalidFlag } from '../flags.js';

/** Returns the flag `--feature-gates` of a program. `effects` says which of the gates have an effect there. */
export const gateFlag = (effects: string) =>
  ({ type: 'string', value: 'NAME=BOOL,...', help: `Karmada's feature gates${effects}` }) as const;

/** Throws UsageError, with the closest known gate. */
export function parseGates(text: string): FeatureGates {
  try {
    return parseFeatureGates(text);
  } catch (error) {
    const hint = error instanceof UnknownFeatureGate ? didYouMean(error.gate, featureGateNames) : '';
    throw invalidFlag('feature-gates', text, `${(error as Error).message}${hint}`);
  }
}
