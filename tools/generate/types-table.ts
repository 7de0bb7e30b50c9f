import { isDeepStrictEqual } from 'node:util';
import type { FieldRow, FieldTraits, TypeRow, TypesTable } from '../../openapi/facts/tables.js';
import type { GoField, GoStructs } from './go-structs.js';
import type { Component } from './upstream.js';

const refPrefix = '#/components/schemas/';
const zeroValues: Readonly<Record<string, unknown>> = { string: '', boolean: false, integer: 0, number: 0, object: {} };
/** The supported properties of upstream schemas; any other one requires an extension of the tables. */
const supported = new Set([
  ...['type', 'format', 'items', 'additionalProperties', 'allOf', '$ref', 'default', 'description'],
  ...['list-type', 'list-map-keys', 'map-type', 'patch-strategy', 'patch-merge-key'].map(x => `x-kubernetes-${x}`),
]);

export const packageOf = (typeName: string): string => typeName.slice(0, typeName.lastIndexOf('.'));
export const shortName = (typeName: string): string => typeName.slice(typeName.lastIndexOf('.') + 1);

/** Returns the `group/version/kind`s of a type; undefined if it is not a kind. */
function kindsOf(component: Component): string[] | undefined {
  const kinds = component['x-kubernetes-group-version-kind'];
  return kinds && [...new Set(kinds.map(k => `${k.group}/${k.version}/${k.kind}`))];
}

function typeExpression(component: Component, packageName: string): string {
  const ref = component.$ref ?? component.allOf?.[0]?.$ref;
  if (ref !== undefined) {
    const name = ref.slice(refPrefix.length);
    return packageOf(name) === packageName ? shortName(name) : name;
  }
  if (component.type === 'array') return '[]' + typeExpression(component.items ?? {}, packageName);
  if (component.additionalProperties) return '{}' + typeExpression(component.additionalProperties, packageName);
  const scalar = component.format ?? component.type;
  if (scalar === undefined) throw new Error(`a schema without type: ${JSON.stringify(component)}`);
  return scalar;
}

function presenceFlag(go: GoField, component: Component): string {
  const struct = component.$ref !== undefined || component.allOf !== undefined;
  if (go.pointer) return go.omitempty ? 'p' : 'n';
  if (go.omitzero) return 'o';
  // encoding/json never treats a struct as empty.
  return go.omitempty && !struct ? 'o' : 'a';
}

function defaultIsZero(component: Component): boolean {
  const zero = component.allOf ? {} : zeroValues[component.type ?? ''];
  return 'default' in component && isDeepStrictEqual(component.default, zero);
}

function fieldRow(go: GoField, component: Component, required: boolean, packageName: string): FieldRow {
  const unknown = Object.keys(component).filter(k => !supported.has(k));
  if (unknown.length) throw new Error(`field ${go.json} in ${packageName}: ${unknown.join()} is not understood`);
  const zero = defaultIsZero(component);
  const flags = presenceFlag(go, component) + (required ? '!' : '') + (zero ? '0' : '');
  const traits: Record<keyof FieldTraits, unknown> = {
    default: zero ? undefined : component.default,
    list: component['x-kubernetes-list-type'],
    keys: component['x-kubernetes-list-map-keys'],
    map: component['x-kubernetes-map-type'],
    strategy: component['x-kubernetes-patch-strategy'],
    mergeKey: component['x-kubernetes-patch-merge-key'],
  };
  const present = Object.fromEntries(Object.entries(traits).filter(([, value]) => value !== undefined));
  const row = `${go.json} ${typeExpression(component, packageName)} ${flags}`;
  return Object.keys(present).length ? [row, present] : row;
}

function typeRow(name: string, component: Component, structs: GoStructs): TypeRow {
  const properties = component.properties;
  const go = properties ? structs(name) : undefined;
  if (properties) {
    const declared = go?.map(f => f.json).sort();
    if (!isDeepStrictEqual(declared, Object.keys(properties).sort()))
      throw new Error(`${name}: the fields of the Go type and of the OpenAPI differ`);
  }
  const kinds = kindsOf(component);
  return {
    ...(kinds && { kinds }),
    ...(component['x-kubernetes-map-type'] !== undefined && {
      mapType: component['x-kubernetes-map-type'] as 'atomic' | 'granular',
    }),
    ...(component['x-kubernetes-unions'] !== undefined && { unions: component['x-kubernetes-unions'] }),
    ...(go &&
      properties && {
        fields: go.map(f =>
          fieldRow(f, properties[f.json] ?? {}, component.required?.includes(f.json) ?? false, packageOf(name)),
        ),
      }),
  };
}

/** Returns every native type, without descriptions. */
export function typesTable(types: ReadonlyMap<string, Component>, structs: GoStructs): TypesTable {
  const packages: Record<string, Record<string, TypeRow>> = {};
  for (const [name, component] of types) {
    (packages[packageOf(name)] ??= {})[shortName(name)] = typeRow(name, component, structs);
  }
  return Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the struct facts in the table of the last run, for runs without a source tree. */
export function structsOf(table: TypesTable): GoStructs {
  return typeName => {
    const row = table[packageOf(typeName)]?.[shortName(typeName)];
    return row?.fields?.map(field => {
      const [json = '', type = '', flags = ''] = (typeof field === 'string' ? field : field[0]).split(' ');
      const struct = /^[A-Z]|^\w[\w-]*\./.test(type);
      return {
        json,
        pointer: /[pn]/.test(flags),
        omitempty: /[po]/.test(flags),
        omitzero: struct && flags.startsWith('o'),
      };
    });
  };
}
