import type { Correlation } from '../../../apimachinery/codec/correlation.js';

/** What is known of the value before, while both are gone down. */
export interface Ratchet {
  readonly current?: Correlation | undefined;
  /** The nearest value around that has a counterpart. */
  readonly around?: Correlation | undefined;
}

/** Is the value, or else what is around it, as it was? */
export const unchanged = ({ current, around }: Ratchet): boolean => (current ?? around)?.unchanged() ?? false;

export function below(ratchet: Ratchet, find: (from: Correlation) => Correlation | undefined): Ratchet {
  const { current } = ratchet;
  return current ? { current: find(current), around: current } : ratchet;
}

/** Of a field or an entry. */
export function belowKey(ratchet: Ratchet, name: string): Ratchet {
  // Not seen by rules: both are converted to the version that is asked for.
  if (ratchet.current && !ratchet.around && (name === 'apiVersion' || name === 'kind')) return {};
  return below(ratchet, from => from.key(name));
}
