import type { Correlation } from '../../../apimachinery/codec/correlation.js';

/** The correlations of a value with the old object during a walk. */
export interface Ratchet {
  readonly current?: Correlation | undefined;
  /** The correlation of the nearest enclosing value that has one. */
  readonly enclosing?: Correlation | undefined;
}

/** Reports whether the value is unchanged; if it has no correlation, whether the enclosing value is. */
export const unchanged = ({ current, enclosing }: Ratchet): boolean => (current ?? enclosing)?.unchanged() ?? false;

/** Returns the correlations of a part of the value. */
export function below(ratchet: Ratchet, find: (from: Correlation) => Correlation | undefined): Ratchet {
  const { current } = ratchet;
  return current ? { current: find(current), enclosing: current } : ratchet;
}

/** Returns the correlations of a field, or of an entry of a map. */
export function belowKey(ratchet: Ratchet, name: string): Ratchet {
  // Both objects are converted to the requested version, so these fields have no correlation.
  if (ratchet.current && !ratchet.enclosing && (name === 'apiVersion' || name === 'kind')) return {};
  return below(ratchet, from => from.key(name));
}
