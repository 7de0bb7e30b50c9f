import type { GroupVersionKind } from '../../apimachinery/interface.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { readTable } from './read.js';
import { scalarTypes } from './scalars.js';
import type { FieldRow, FieldTraits, TypeRow, TypesTable } from './tables.js';

/** The part of a type's schema that is the same for all fields of the type. */
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
let kubernetesTable: TypesTable | undefined;
let kinds: Map<string, string> | undefined;
const types = new Map<string, NativeType>();
const schemas = new Map<string, Schema>();

/** Files of the types of API servers besides kube-apiserver: those of Karmada, and those of metrics. */
const others = ['karmada-types.json', 'metrics-types.json'];

/** Returns the types of kube-apiserver. */
const kubernetes = (): TypesTable => (kubernetesTable ??= readTable('types.json') as TypesTable);

/** Returns the types of kube-apiserver and of the other API servers. */
const loaded = (): TypesTable =>
  (table ??= Object.assign({}, kubernetes(), ...others.map(name => readTable(name) as TypesTable)) as TypesTable);
const kindKey = (gvk: GroupVersionKind): string => `${gvk.group}/${gvk.version}/${gvk.kind}`;

function rowOf(typeName: string): TypeRow | undefined {
  const dot = typeName.lastIndexOf('.');
  const packages = loaded();
  const packageName = typeName.slice(0, dot);
  return Object.hasOwn(packages, packageName) ? packages[packageName]?.[typeName.slice(dot + 1)] : undefined;
}

/** Returns a schema with the traits of one field. `properties` is computed on access, since types may contain themselves. */
function schemaWith(type: NativeType, traits: Schema): Schema {
  const schema: Schema = { ...type.facets, ...traits };
  if (type.properties) Object.defineProperty(schema, 'properties', { get: type.properties, enumerable: true });
  return schema;
}

function expressionType(expression: string, packageName: string): NativeType {
  if (expression.startsWith('[]'))
    return { facets: { type: 'array', items: itemSchema(expression.slice(2), packageName) }, properties: undefined };
  if (expression.startsWith('{}'))
    return {
      facets: { type: 'object', additionalProperties: itemSchema(expression.slice(2), packageName) },
      properties: undefined,
    };
  const number = numbers[expression];
  if (number) return { facets: number, properties: undefined };
  if (expression === 'string' || expression === 'boolean')
    return { facets: { type: expression }, properties: undefined };
  return nativeType(expression.includes('.') ? expression : `${packageName}.${expression}`);
}

const itemSchema = (expression: string, packageName: string): Schema =>
  schemaWith(expressionType(expression, packageName), {});

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

function fieldTraits(traits: FieldTraits): Schema {
  return {
    ...('default' in traits && { default: traits.default }),
    ...(traits.list && { 'x-kubernetes-list-type': traits.list }),
    ...(traits.keys && { 'x-kubernetes-list-map-keys': traits.keys }),
    ...(traits.map && { 'x-kubernetes-map-type': traits.map }),
    ...(traits.strategy !== undefined && { 'x-kubernetes-patch-strategy': traits.strategy }),
    ...(traits.mergeKey !== undefined && { 'x-kubernetes-patch-merge-key': traits.mergeKey }),
  };
}

const lineOf = (row: FieldRow): string => (typeof row === 'string' ? row : row[0]);

function fieldSchema(row: FieldRow, packageName: string): Schema {
  const [, expression = '', flags = ''] = lineOf(row).split(' ');
  const type = expressionType(expression, packageName);
  return schemaWith(type, {
    presence: presences[flags.charAt(0) as keyof typeof presences],
    ...(flags.startsWith('n') && { nullable: true }),
    ...(flags.endsWith('0') && { default: zeroOf(type) }),
    ...(typeof row === 'string' ? {} : fieldTraits(row[1])),
  });
}

/** Returns an object without a prototype, so that `properties.constructor` is undefined. */
function fieldSchemas(rows: readonly FieldRow[], packageName: string): Record<string, Schema> {
  const properties = Object.create(null) as Record<string, Schema>;
  for (const row of rows) {
    const line = lineOf(row);
    properties[line.slice(0, line.indexOf(' '))] = fieldSchema(row, packageName);
  }
  return properties;
}

function structType(typeName: string, row: TypeRow): NativeType {
  const rows = row.fields ?? [];
  const packageName = typeName.slice(0, typeName.lastIndexOf('.'));
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
    properties: () => (properties ??= fieldSchemas(rows, packageName)),
  };
}

/** Returns the type of `JSONSchemaPropsOr...`, which has several forms: a schema without `type`, and with the parts of each form. */
function alternativeType(typeName: string): NativeType | undefined {
  const [packageName, alternative] = typeName.split('JSONSchemaPropsOr');
  if (packageName === undefined || alternative === undefined) return undefined;
  const props = nativeType(`${packageName}JSONSchemaProps`);
  const items = alternative === 'StringArray' ? ({ type: 'string' } as const) : schemaWith(props, {});
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
 * Returns the schema of a native type by its name in OpenAPI (`io.k8s.api.apps.v1.Deployment`), always the same object. Its parts are
 * computed on access, and the graph may have cycles. Throws for an unknown name.
 *
 * A field with presence 'always' that is `nullable` is encoded as null if unset (a Go pointer without omitempty).
 * The three `JSONSchemaPropsOr...` types have no `type`, but `properties` and `items` for their object and list forms.
 */
export function nativeSchema(typeName: string): Schema {
  let schema = schemas.get(typeName);
  if (!schema) {
    schema = schemaWith(nativeType(typeName), {});
    schemas.set(typeName, schema);
  }
  return schema;
}

/** Returns the type of a native kind, list or options; undefined for others. DeleteOptions and WatchEvent are in every group-version. */
export function nativeTypeName(gvk: GroupVersionKind): string | undefined {
  if (!kinds) {
    kinds = new Map();
    for (const [packageName, rows] of Object.entries(loaded()))
      for (const [name, row] of Object.entries(rows))
        for (const kind of row.kinds ?? []) kinds.set(kind, `${packageName}.${name}`);
  }
  const everywhere = gvk.kind === 'DeleteOptions' || gvk.kind === 'WatchEvent';
  return kinds.get(everywhere ? `/v1/${gvk.kind}` : kindKey(gvk));
}

/** Returns the schema of a native kind; undefined for other kinds. */
export function nativeSchemaFor(gvk: GroupVersionKind): Schema | undefined {
  const typeName = nativeTypeName(gvk);
  return typeName === undefined ? undefined : nativeSchema(typeName);
}

/** Returns the names of all types of kube-apiserver, sorted. */
export function nativeTypeNames(): readonly string[] {
  return Object.entries(kubernetes()).flatMap(([packageName, rows]) =>
    Object.keys(rows).map(name => `${packageName}.${name}`),
  );
}

/** Returns the kinds whose objects have the type. */
export function kindsOfType(typeName: string): readonly GroupVersionKind[] {
  return (rowOf(typeName)?.kinds ?? []).map(text => {
    const [group = '', version = '', kind = ''] = text.split('/');
    return { group, version, kind };
  });
}
