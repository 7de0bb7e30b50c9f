type Plain = Record<string, unknown>;

/** A copy with the keys of all objects sorted, and without what JSON leaves out. hot: every custom resource that is written. */
export function sortedCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sortedCopy);
  const from = value as Plain;
  const out: Plain = {};
  for (const key of Object.keys(from).sort()) {
    const inner = from[key];
    if (inner === undefined) continue;
    if (key === '__proto__')
      Object.defineProperty(out, key, {
        value: sortedCopy(inner),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    else out[key] = sortedCopy(inner);
  }
  return out;
}
