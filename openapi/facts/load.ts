import type { GroupVersionKind } from '../../apimachinery/interface.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { readTable } from './read.js';
import { scalarTypes } from './scalars.js';
import type { FieldRow, FieldTraits, TypeRow, TypesTable } from './tables.js';

/** A type before it is used in a place: what is the same everywhere. */
interface NativeType {
  readonly facets: Schema;
  readonly properties: (() => Readonly<Record<string, Schema>>) | undefined;
}

const numbers: Readonly<Record<string, Schema>> = {
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  byte: { type: 'string', format: 'byte' },
};

let table: TypesTable | undefined;
let kinds: Map<string, string> | undefined;
const types = new Map<string, NativeType>();
const schemas = new Map<string, Schema>();

/** Kubernetes' types, and those of Karmada that are compiled into its API servers. */
const loaded = (): TypesTable =>
  (table ??= { ...(readTable('types.json') as TypesTable), ...(readTable('karmada-types.json') as TypesTable) });
const kindKey = (gvk: GroupVersionKind): string => `${gvk.group}/${gvk.version}/${gvk.kind}`;

function rowOf(typeName: string): TypeRow | undefined {
  const dot = typeName.lastIndexOf('.');
  const packages = loaded();
  const home = typeName.slice(0, dot);
  return Object.hasOwn(packages, home) ? packages[home]?.[typeName.slice(dot + 1)] : undefined;
}

/** A schema for one place. `properties` stays unresolved until somebody looks: types may contain themselves. */
function placed(type: NativeType, traits: Schema): Schema {
  const schema: Schema = { ...type.facets, ...traits };
  if (type.properties) Object.defineProperty(schema, 'properties', { get: type.properties, enumerable: true });
  return schema;
}

function expressionType(expression: string, home: string): NativeType {
  if (expression.startsWith('[]'))
    return { facets: { type: 'array', items: place(expression.slice(2), home) }, properties: undefined };
  if (expression.startsWith('{}'))
    return {
      facets: { type: 'object', additionalProperties: place(expression.slice(2), home) },
      properties: undefined,
    };
  const number = numbers[expression];
  if (number) return { facets: number, properties: undefined };
  if (expression === 'string' || expression === 'boolean')
    return { facets: { type: expression }, properties: undefined };
  return nativeType(expression.includes('.') ? expression : `${home}.${expression}`);
}

const place = (expression: string, home: string): Schema => placed(expressionType(expression, home), {});

const presences = { p: 'pointer', o: 'omitempty', a: 'always', n: 'always' } as const;

function zeroOf(type: NativeType): unknown {
  switch (type.facets.type) {
    case 'string':
      return '';
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return 0;
    default:
      return {};
  }
}

function fieldTraits(said: FieldTraits): Schema {
  return {
    ...('default' in said && { default: said.default }),
    ...(said.list && { 'x-kubernetes-list-type': said.list }),
    ...(said.keys && { 'x-kubernetes-list-map-keys': said.keys }),
    ...(said.map && { 'x-kubernetes-map-type': said.map }),
    ...(said.strategy !== undefined && { 'x-kubernetes-patch-strategy': said.strategy }),
    ...(said.mergeKey !== undefined && { 'x-kubernetes-patch-merge-key': said.mergeKey }),
  };
}

const lineOf = (row: FieldRow): string => (typeof row === 'string' ? row : row[0]);

function fieldSchema(row: FieldRow, home: string): Schema {
  const [, expression = '', flags = ''] = lineOf(row).split(' ');
  const type = expressionType(expression, home);
  return placed(type, {
    presence: presences[flags.charAt(0) as keyof typeof presences],
    ...(flags.startsWith('n') && { nullable: true }),
    ...(flags.endsWith('0') && { default: zeroOf(type) }),
    ...(typeof row === 'string' ? {} : fieldTraits(row[1])),
  });
}

/** Without a prototype: `properties.constructor` is no field. */
function fieldSchemas(rows: readonly FieldRow[], home: string): Record<string, Schema> {
  const properties = Object.create(null) as Record<string, Schema>;
  for (const row of rows) {
    const line = lineOf(row);
    properties[line.slice(0, line.indexOf(' '))] = fieldSchema(row, home);
  }
  return properties;
}

function structType(typeName: string, row: TypeRow): NativeType {
  const rows = row.fields ?? [];
  const home = typeName.slice(0, typeName.lastIndexOf('.'));
  const required = rows.map(lineOf).filter(line => line.includes('!'));
  let properties: Record<string, Schema> | undefined;
  return {
    facets: {
      type: 'object',
      typeName,
      ...(required.length && { required: required.map(line => line.slice(0, line.indexOf(' '))) }),
      ...(row.mapType && { 'x-kubernetes-map-type': row.mapType }),
      ...(row.unions !== undefined && { 'x-kubernetes-unions': row.unions }),
    },
    properties: () => (properties ??= fieldSchemas(rows, home)),
  };
}

/** The types of JSON schemas that are one of several things: no type, and what each of the forms needs. */
function alternativeType(typeName: string): NativeType | undefined {
  const [home, alternative] = typeName.split('JSONSchemaPropsOr');
  if (home === undefined || alternative === undefined) return undefined;
  const props = nativeType(`${home}JSONSchemaProps`);
  const items = alternative === 'StringArray' ? ({ type: 'string' } as const) : placed(props, {});
  return { facets: { typeName, ...(alternative !== 'Bool' && { items }) }, properties: props.properties };
}

function nativeType(typeName: string): NativeType {
  let type = types.get(typeName);
  if (!type) {
    const scalar = scalarTypes[typeName];
    const row = rowOf(typeName);
    if (scalar) type = { facets: { typeName, ...scalar }, properties: undefined };
    else if (row) type = alternativeType(typeName) ?? structType(typeName, row);
    else throw new Error(`no native type is called ${typeName}`);
    types.set(typeName, type);
  }
  return type;
}

/**
 * The schema of a native type by its name in OpenAPI (`io.k8s.api.apps.v1.Deployment`). The same object every time; a graph that is
 * built as it is looked at and may contain itself. Throws for a name that there is not.
 *
 * A field with presence 'always' that is `nullable` is written as null when unset (a Go pointer without omitempty).
 * The three `JSONSchemaPropsOr...` types have no `type`; they carry `properties` and `items` for their object and list forms.
 */
export function nativeSchema(typeName: string): Schema {
  let schema = schemas.get(typeName);
  if (!schema) {
    schema = placed(nativeType(typeName), {});
    schemas.set(typeName, schema);
  }
  return schema;
}

/** The name of the type of a native kind, lists and options included. DeleteOptions and WatchEvent are of every group-version. */
export function nativeTypeName(gvk: GroupVersionKind): string | undefined {
  if (!kinds) {
    kinds = new Map();
    for (const [home, rows] of Object.entries(loaded()))
      for (const [name, row] of Object.entries(rows))
        for (const kind of row.kinds ?? []) kinds.set(kind, `${home}.${name}`);
  }
  const everywhere = gvk.kind === 'DeleteOptions' || gvk.kind === 'WatchEvent';
  return kinds.get(everywhere ? `/v1/${gvk.kind}` : kindKey(gvk));
}

/** The schema of a native kind; undefined for kinds that are not native. */
export function nativeSchemaFor(gvk: GroupVersionKind): Schema | undefined {
  const typeName = nativeTypeName(gvk);
  return typeName === undefined ? undefined : nativeSchema(typeName);
}

/** The names of all types of Kubernetes, sorted. */
export function nativeTypeNames(): readonly string[] {
  const packages = Object.entries(loaded()).filter(([home]) => home.startsWith('io.k8s.'));
  return packages.flatMap(([home, rows]) => Object.keys(rows).map(name => `${home}.${name}`));
}

/** The kinds whose objects have the type. */
export function kindsOfType(typeName: string): readonly GroupVersionKind[] {
  return (rowOf(typeName)?.kinds ?? []).map(text => {
    const [group = '', version = '', kind = ''] = text.split('/');
    return { group, version, kind };
  });
}
