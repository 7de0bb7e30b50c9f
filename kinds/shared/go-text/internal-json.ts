import { PrintedValue } from '../../../apimachinery/errors/faults.js';
import { escapeHtml, goJson, sortKeys } from '../../../lib/go/go-text.js';
import { jsonText } from '../../../lib/json/json.js';
import { internalForms } from './internal-forms.js';

type Fields = Readonly<Record<string, unknown>>;

interface FormField {
  readonly goName: string;
  readonly jsonName: string;
  readonly type: string;
}

const forms = new Map<string, readonly FormField[]>();
let definitions: ReadonlyMap<string, string> | undefined;

/** Name of a type -> its fields, as text from the table. */
function definitionsOf(table: string): ReadonlyMap<string, string> {
  const lines = table.trim().replaceAll('\n  ', ' ').split('\n');
  return new Map(lines.map(line => line.split(': ', 2) as [string, string]));
}

/** Derives JSON names from Go's: the first word becomes lower case. */
const jsonNameOf = (goName: string): string =>
  goName.replace(/^(?:[A-Z]+(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z])/, word => word.toLowerCase());

const written = /^(\w+)(?:=([?\w]+))?(?::(\S+))?$/;

function formOf(type: string): readonly FormField[] | undefined {
  definitions ??= definitionsOf(internalForms);
  const definition = definitions.get(type);
  let form = forms.get(type);
  if (form || definition === undefined) return form;
  form = definition.split(' ').flatMap(field => {
    if (field.startsWith('+')) return formOf(field.slice(1)) ?? [];
    const [, goName = '', jsonName = jsonNameOf(goName), fieldType = 'string'] = written.exec(field) ?? [];
    return { goName, jsonName, type: fieldType };
  });
  forms.set(type, form);
  return form;
}

/** Go's zero values. */
const zeros: Readonly<Record<string, unknown>> = {
  string: '',
  int: 0,
  bool: false,
  Quantity: '0',
  IntOrString: 0,
  Time: null,
  raw: {},
};

/**
 * Returns a value as Go's JSON encoding of an internal type has it: with Go's names, in their order, including unset fields. `type` is a name
 * from `internal-forms.ts`, with `*`, `[]` or `{}` before it.
 */
export function internalForm(type: string, value: unknown): unknown {
  if (type.startsWith('*')) return value == null ? null : internalForm(type.slice(1), value);
  if (type.startsWith('[]'))
    return value == null ? null : (value as unknown[]).map(item => internalForm(type.slice(2), item));
  if (type.startsWith('{}')) {
    if (value == null) return null;
    const map = value as Fields;
    return Object.fromEntries(
      Object.keys(map)
        .sort()
        .map(key => [key, internalForm(type.slice(2), map[key])]),
    );
  }
  const form = formOf(type);
  if (!form) return value == null ? zeros[type] : type === 'raw' ? ordered(value) : value;
  const fields = (value ?? {}) as Fields;
  const entries = form.map(({ goName, jsonName, type: t }): [string, unknown] => [
    goName,
    internalForm(t, fields[jsonName]),
  ]);
  // Metadata is embedded: its fields are among the others.
  return Object.fromEntries(
    entries.flatMap(entry => (entry[0] === 'ObjectMeta' ? Object.entries((entry[1] ?? {}) as Fields) : [entry])),
  );
}

/** Converts back from `internalForm`, without unset fields; the case of names is ignored, as in Go. */
export function fromInternal(type: string, value: unknown): unknown {
  if (type.startsWith('*')) return value === null ? undefined : fromInternal(type.slice(1), value);
  if (type.startsWith('[]'))
    return Array.isArray(value) ? value.map(item => fromInternal(type.slice(2), item)) : undefined;
  const form = formOf(type);
  if (!form || typeof value !== 'object' || value === null) return value ?? undefined;
  const fields = new Map(Object.entries(value).map(([name, field]) => [name.toLowerCase(), field as unknown]));
  const entries = form.map(({ goName, jsonName, type: t }) => [
    jsonName,
    fromInternal(t, fields.get(goName.toLowerCase())),
  ]);
  return Object.fromEntries(entries.filter(([, field]) => field !== undefined));
}

/** Returns the value for the `Invalid value:` of an error. */
export function shownInternal(type: string, value: unknown): PrintedValue {
  return new PrintedValue(goJson(internalForm(type, value)));
}

/** Like `shownInternal`, on several lines, for differences. */
export function prettyInternal(type: string, value: unknown): string {
  return escapeHtml(jsonText(internalForm(type, value), 1));
}

const declared = [
  'name',
  'generateName',
  'namespace',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'matchLabels',
  'matchExpressions',
  'key',
  'operator',
  'values',
];

/** metav1 types keep their JSON names: keys are in the order of their declaration, then those of maps. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Fields;
  const rank = (key: string): number => (declared.indexOf(key) + 1 || declared.length + 1) - 1;
  const keys = Object.keys(fields).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return Object.fromEntries(keys.map(key => [key, mapFields.has(key) ? sortKeys(fields[key]) : ordered(fields[key])]));
}

const mapFields: ReadonlySet<string> = new Set(['labels', 'annotations', 'matchLabels']);

/** Returns a label selector as Go writes it. */
export function shownSelector(selector: unknown): unknown {
  return selector == null ? null : ordered(selector);
}

/** Returns labels as Go writes them. */
export function shownMap(map: unknown): unknown {
  return map == null ? null : sortKeys(map);
}
