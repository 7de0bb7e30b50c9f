import type { Field } from '../../shared/rules/field.js';

type Item<L> = L extends readonly (infer T)[] ? T : never;

/** Validates each item of a list by a rule, unless there are more than `maxItems`, which is one fault. Returns whether there are few enough. */
export function eachOf<L extends readonly unknown[]>(
  list: Field<L>,
  maxItems: number,
  rule: (item: Field<Item<NonNullable<L>>>) => void,
): boolean {
  const count = list.value?.length ?? 0;
  if (count > maxItems) {
    list.tooMany(count, maxItems);
    return false;
  }
  for (const item of list.items()) rule(item);
  return true;
}

/** As `eachOf`, for lists whose items are identified by a key, which must not occur twice. */
export function setOf<L extends readonly unknown[]>(
  list: Field<L>,
  maxItems: number,
  keyOf: (item: Item<NonNullable<L>>) => string,
  rule: (item: Field<Item<NonNullable<L>>>) => void,
): void {
  if (!eachOf(list, maxItems, rule)) return;
  const seen = new Set<string>();
  for (const item of list.items()) {
    const key = keyOf(item.value as Item<NonNullable<L>>);
    if (seen.has(key)) item.duplicate(key);
    seen.add(key);
  }
}

const shortened = (key: string, maxBytes: number): string => {
  const bytes = Buffer.from(key);
  if (bytes.length <= maxBytes) return key;
  const rest = maxBytes - 3;
  const head = bytes.subarray(0, Math.floor((rest + 1) / 2)).toString();
  return `${head}...${bytes.subarray(bytes.length - Math.floor(rest / 2)).toString()}`;
};

/** Validates each entry of a map, of which there may be `maxEntries`. Errors about keys are reported at the map; long keys are shortened in paths. */
export function entriesOf<T>(
  map: Field<Record<string, T>>,
  [maxEntries, maxKeyBytes]: readonly [maxEntries: number, maxKeyBytes: number],
  key: (name: Field<string>) => void,
  rule: (item: Field<T>) => void = () => undefined,
): void {
  const entries = map.entries();
  if (entries.length > maxEntries) {
    map.tooMany(entries.length, maxEntries);
    return;
  }
  for (const [name, item] of entries) {
    key(map.holding(name));
    rule(item.as(`${map.path}[${shortened(name, maxKeyBytes)}]`));
  }
}
