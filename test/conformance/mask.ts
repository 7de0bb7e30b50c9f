/** Replaces values that differ in every run of a recorded case by their name. */

export type Variables = Record<string, string>;

const anyTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const revisions = /(resourceVersion\\*":\\*"|resource version: |current: )\d+/g;

/** Strings that are replaced as a whole, by their key. */
const whole: Readonly<Record<string, readonly [RegExp, string]>> = {
  clusterIP: [/^10\.\d+\.\d+\.\d+$/, '{ip}'],
  clusterIPs: [/^10\.\d+\.\d+\.\d+$/, '{ip}'],
  uid: [/^[0-9a-f-]{36}$/, '{uid}'],
  resourceVersion: [/^(?!0$)\d+$/, '{rv}'],
  continue: [/./s, '{continue}'],
  storageVersionHash: [/^/, '{hash}'],
};

const ports = new Set(['nodePort', 'healthCheckNodePort']);

function maskText(text: string, variables: Variables, key: string, parent: unknown): string {
  const rule = Object.hasOwn(whole, key) ? whole[key] : undefined;
  if (rule?.[0].test(text)) return rule[1];
  if (anyTime.test(text)) return '{time}';
  if (key === 'name') {
    const start = (parent as { generateName?: string } | undefined)?.generateName;
    if (start && text.startsWith(start)) return '{generated}';
  }
  let out = text;
  for (const [name, value] of Object.entries(variables)) if (value) out = out.replaceAll(value, () => `{${name}}`);
  return out.replace(uuids, '{uid}').replace(times, '{time}').replace(revisions, '$1{rv}');
}

interface FieldOwner {
  readonly operation?: string;
  readonly manager?: string;
  readonly apiVersion?: string;
  readonly subresource?: string;
}

/** Returns the sort key of an owner without its time, by which upstream sorts first. */
const ownerOrder = (owner: FieldOwner | null): string =>
  `${owner?.operation} ${owner?.manager} ${owner?.apiVersion} ${owner?.subresource ?? ''}`;

function maskList(list: readonly unknown[], variables: Variables, key: string): unknown[] {
  if (key === 'columnDefinitions')
    return list.map(column => {
      const { description: _, ...rest } = column as Record<string, unknown>; // descriptions are not compared
      return rest;
    });
  const masked = list.map(item => mask(item, variables, key));
  if (key !== 'managedFields') return masked;
  return masked.sort((a, b) => (ownerOrder(a as FieldOwner) < ownerOrder(b as FieldOwner) ? -1 : 1));
}

/** Returns the value with varying parts replaced. `key` is the field of the value, `parent` the object that contains it. */
export function mask(value: unknown, variables: Variables, key = '', parent?: unknown): unknown {
  if (ports.has(key) && Number(value) > 29999) return '{port}';
  if (typeof value === 'string') return maskText(value, variables, key, parent);
  if (Array.isArray(value)) return maskList(value, variables, key);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      mask(name, variables) as string,
      mask(member, variables, name, value),
    ]),
  );
}

interface Table {
  readonly kind: 'Table';
  readonly columnDefinitions: readonly { readonly name: string }[];
  readonly rows?: readonly { readonly cells: readonly unknown[] }[];
}

const isTable = (value: unknown): value is Table =>
  (value as { kind?: unknown } | null | undefined)?.kind === 'Table' &&
  Array.isArray((value as Table).columnDefinitions);

const agedColumns = new Set(['Age', 'First Seen', 'Last Seen']);

/** Matches ages in seconds or days, which depend on the time of the run. */
const passing = /^\d+[sd]$/;

/** Returns a Table without its ages. */
export function withoutAges(value: unknown): unknown {
  if (!isTable(value)) return value;
  const aged = value.columnDefinitions.map(({ name }) => agedColumns.has(name));
  const cellsOf = (cells: readonly unknown[]): unknown[] =>
    cells.map((cell, i) => (aged[i] && passing.test(String(cell)) ? '{age}' : cell));
  return { ...value, rows: value.rows?.map(row => ({ ...row, cells: cellsOf(row.cells) })) ?? value.rows };
}
