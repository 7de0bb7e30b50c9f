import { setKey } from '../../../lib/json/clone.js';
import { isSorted } from '../../../lib/collections/is-sorted.js';

type Plain = Record<string, unknown>;

interface SortOptions {
  /** Values that are in this form already, and are not copied. */
  readonly canonicalParts?: readonly unknown[] | undefined;
  /** The caller does not use the value afterwards, so parts that are in this form already are not copied. */
  readonly shareCanonical?: boolean;
}

/** hot: every custom resource that is written. Returns a copy with the keys of all objects sorted, and without undefined values. */
export function sortedCopy(value: unknown, { canonicalParts, shareCanonical = false }: SortOptions = {}): unknown {
  return sorted(value, canonicalParts, shareCanonical);
}

function sorted(value: unknown, canonicalParts: readonly unknown[] | undefined, shareCanonical: boolean): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (canonicalParts?.includes(value)) return value;
  return Array.isArray(value)
    ? sortedItems(value, canonicalParts, shareCanonical)
    : sortedEntries(value as Plain, canonicalParts, shareCanonical);
}

function sortedItems(
  list: readonly unknown[],
  canonicalParts: readonly unknown[] | undefined,
  shareCanonical: boolean,
): unknown {
  let out: unknown[] | undefined = shareCanonical ? undefined : [];
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    const made = sorted(item, canonicalParts, shareCanonical);
    if (out === undefined && made !== item) out = list.slice(0, i);
    out?.push(made);
  }
  return out ?? list;
}

function sortedEntries(from: Plain, canonicalParts: readonly unknown[] | undefined, shareCanonical: boolean): unknown {
  const keys = Object.keys(from);
  const inOrder = isSorted(keys);
  if (!inOrder) keys.sort();
  let out: Plain | undefined = shareCanonical && inOrder ? undefined : {};
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] ?? '';
    const inner = from[key];
    const made = sorted(inner, canonicalParts, shareCanonical);
    if (out === undefined && (made === undefined || made !== inner)) {
      out = {};
      for (const name of keys.slice(0, i)) setKey(out, name, from[name]);
    }
    if (out !== undefined && made !== undefined) setKey(out, key, made);
  }
  return out ?? from;
}
