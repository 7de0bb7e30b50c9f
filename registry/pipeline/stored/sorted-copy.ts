type Plain = Record<string, unknown>;

/**
 * A copy with the keys of all objects sorted, and without what JSON leaves out. `known`: what is such a copy already, and is taken as it is.
 * hot: every custom resource that is written.
 */
export function sortedCopy(value: unknown, known?: readonly unknown[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (known?.includes(value)) return value;
  if (Array.isArray(value)) return value.map(item => sortedCopy(item, known));
  const from = value as Plain;
  const out: Plain = {};
  for (const key of Object.keys(from).sort()) {
    const inner = from[key];
    if (inner === undefined) continue;
    if (key === '__proto__')
      Object.defineProperty(out, key, {
        value: sortedCopy(inner, known),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    else out[key] = sortedCopy(inner, known);
  }
  return out;
}
