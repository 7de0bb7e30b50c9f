/**
 * Are two values the same to the API? Absent, null, an empty list and an empty map are one thing; the order of keys does not count.
 * Quantities and times are compared as they are written: drafts are canonical by then.
 */
// as apimachinery/third_party/forked/golang/reflect Equalities.DeepEqual
export function semanticallyEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' && a !== undefined) return false;
  if (typeof b !== 'object' && b !== undefined) return false;
  if (a == null || b == null) return isEmpty(a) && isEmpty(b);
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && equalLists(a, b);
  return equalMaps(a as Record<string, unknown>, b as Record<string, unknown>);
}

function isEmpty(value: unknown): boolean {
  if (value == null) return true;
  if (typeof value !== 'object') return false;
  for (const _ in value) return false;
  return true;
}

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!semanticallyEqual(a[i], b[i])) return false;
  return true;
}

function equalMaps(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  for (const key in a) if (!semanticallyEqual(a[key], b[key])) return false;
  for (const key in b) if (!(key in a) && !isEmpty(b[key])) return false;
  return true;
}
