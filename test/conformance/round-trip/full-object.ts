/** Makes objects of native kinds in which every field of the schema is set. */
import { nativeEnum } from '../../../openapi/facts/enums.js';
import { kindsOfType, nativeSchemaFor } from '../../../openapi/facts/native-schemas.js';
import type { GroupVersionKind, KubeObject } from '../../../apimachinery/interface.js';
import { apiVersionOf } from '../../../apimachinery/meta/gvk.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';

/** Values for fields by name, which an API server mostly accepts. The first match counts; `Type.field` matches a field of one type. */
const named: readonly (readonly [RegExp, unknown])[] = [
  [/Requirement\.operator$/, 'In'],
  [/Requirement\.key$/, 'a'],
  [/Requirement\.values$/, 'x'],
  [/(RoleRef|Subject)\.apiGroup$/, 'rbac.authorization.k8s.io'],
  [/RoleRef\.kind$/, 'ClusterRole'],
  [/Subject\.kind$/, 'User'],
  [/\.apiVersion$|\.storageVersion$/, 'example.com/v1'],
  [/\.apiGroup$|\.apiGroups$|\.groupName$/, 'example.com'],
  [/\.kind$/, 'ConfigMap'],
  [/\.uid$/i, '5d1c2a34-0c5b-4b3c-9f6e-2b1f3c4d5e6f'],
  [/IPs?$|\.ips?$|\.addresses$|\.address$/i, '10.1.2.3'],
  [/cidrs?$|\.podCIDR|\.loadBalancerSourceRanges$/i, '10.1.0.0/16'],
  [/\.schedule$/, '1 2 3 4 5'],
  [/\.timeZone$/, 'Europe/Vienna'],
  [/\.sideEffects$/, 'None'],
  [/\.admissionReviewVersions$/, 'v1'],
  [/\.restartPolicy$/, 'Never'],
  [/path$/i, '/some/path'],
  [/\.url$/, 'https://example.com/a'],
  [/\.image$/, 'example.com/image:1'],
  [/\.driver$|\.attacher$|\.provisioner$|\.driverName$/, 'driver.example.com'],
  [/\.signerName$|\.controller$|\.managedBy$|\.controllerName$|\.finalizers$/, 'driver.example.com/one'],
  [/\.host$|\.hosts$|\.fqdn$|\.hostnames$|domain$|Webhook\.name$/i, 'a.b.example.com'],
  [/\.resourceVersion$/, '7'],
  [/topologyKey/i, 'example.com/zone'],
  [/\.expirationSeconds$/, 3600],
  [/\.verbs$/, 'get'],
  [/\.scope$/, 'Cluster'],
  [/\.accessModes$/, 'ReadWriteOnce'],
  [/\.expression$|Expression$/, 'true'],
  [/nodePort$/, 30123],
  [/ports?$|\.number$/i, 8443],
];

function text(type: string, field: string): string {
  const found = named.find(([name, value]) => typeof value === 'string' && name.test(`${type}.${field}`));
  if (found) return found[1] as string;
  return (
    field
      .replaceAll(/[^a-z0-9]/gi, '')
      .toLowerCase()
      .slice(0, 12) || 'x'
  );
}

const number = (type: string, field: string): number =>
  (named.find(([name, value]) => typeof value === 'number' && name.test(`${type}.${field}`))?.[1] as number) ?? 5;

/** Returns keys for a map: of labels and selectors, of resources, or others. */
function keysOf(field: string, item: Schema): readonly string[] {
  if (/labels|selector/i.test(field)) return ['a', 'b'];
  return item.scalar === 'quantity' ? ['example.com/a', 'example.com/b'] : ['key.b', 'key.a'];
}

const scalar: Readonly<Record<NonNullable<Schema['scalar']>, unknown>> = {
  duration: '1m0s',
  fieldsV1: { 'f:metadata': { 'f:labels': { 'f:a': {} } } },
  intOrString: 8080,
  json: { a: [1, 'x', null, true] },
  microTime: '2026-01-02T03:04:05.678901Z',
  quantity: '3',
  rawExtension: { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' } },
  time: '2026-01-02T03:04:05Z',
};

const typeFields = new Set(['apiVersion', 'kind']);

interface Place {
  readonly type: string;
  readonly field: string;
  /** Types that contain this value. A type is not put into itself. */
  readonly inside: readonly string[];
}

function fillObject(schema: Schema, { inside, field }: Place): unknown {
  const type = schema.typeName ?? '';
  if (type !== '' && inside.includes(type)) return undefined;
  if (schema.properties) {
    const within = { type, inside: [...inside, type] };
    // In protobuf, an embedded object has no apiVersion and kind.
    const named =
      kindsOfType(type).length > 0
        ? Object.entries(schema.properties).filter(([name]) => !typeFields.has(name))
        : Object.entries(schema.properties);
    const members = named.map(([name, s]) => [name, fill(s, { ...within, field: name })]);
    return Object.fromEntries(members.filter(([, value]) => value !== undefined));
  }
  const more = schema.additionalProperties;
  if (typeof more !== 'object') return {};
  const value = /labels|selector/i.test(field) && more.type === 'string' ? 'x' : fill(more, { type, field, inside });
  return value === undefined ? undefined : Object.fromEntries(keysOf(field, more).map(key => [key, value]));
}

/** Returns a value of the schema, or undefined if the type contains only itself. */
function fill(schema: Schema, place: Place): unknown {
  if (schema.scalar) return scalar[schema.scalar];
  const [choice] = nativeEnum(place.type, place.field) ?? [];
  switch (schema.type) {
    case 'array': {
      const item = fill(schema.items ?? {}, place);
      return item === undefined ? undefined : [item];
    }
    case 'boolean':
      return true;
    case 'integer':
      return number(place.type, place.field);
    case 'number':
      return 1.5;
    case 'string':
      return schema.format === 'byte'
        ? Buffer.from(place.field).toString('base64')
        : (choice ?? text(place.type, place.field));
    default:
      // an alternative of a JSON schema
      if (schema.type === undefined && schema.typeName?.includes('JSONSchemaPropsOr')) return undefined;
      return fillObject(schema, place);
  }
}

/**
 * Returns an object with every field set, one item per list and two per map. Recursive types end at the first repetition. Throws if the kind is not
 * native.
 */
export function fullObject(gvk: GroupVersionKind): KubeObject {
  const schema = nativeSchemaFor(gvk);
  if (!schema) throw new Error(`${gvk.kind} is no native kind`);
  const object = fill(schema, { type: '', field: '', inside: [] }) as KubeObject;
  return { ...object, apiVersion: apiVersionOf(gvk), kind: gvk.kind };
}

/** Returns the paths of all scalar values, such as `spec.containers.0.name`. */
export function leaves(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === '' ? key : `${path}.${key}`));
}
