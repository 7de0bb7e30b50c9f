import t from 'tap';
import type { GroupVersionKind } from '../../../apimachinery/interface.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import {
  kindsOfType,
  nativeSchema,
  nativeSchemaFor,
  nativeTypeName,
  nativeTypeNames,
} from '../../../openapi/facts/native-schemas.js';
import { recorded } from '../../data.js';

type Fields = Record<string, unknown>;
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function kindOf(value: Fields): GroupVersionKind | undefined {
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return { group: group ?? '', version: version ?? '', kind };
}

function isZero(value: unknown): boolean {
  if (value === '' || value === 0 || value === false) return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

/** Returns how an object of kube-apiserver differs from the facts: in unknown fields, their order, and which are written. */
function disagreements(value: unknown, schema: Schema, path: string): string[] {
  if (Array.isArray(value)) {
    const items = schema.items;
    return items ? value.flatMap((item, i) => disagreements(item, items, `${path}[${i}]`)) : [];
  }
  if (!isObject(value) || schema.scalar) return [];
  const more = schema.additionalProperties;
  if (typeof more === 'object')
    return Object.entries(value).flatMap(([k, v]) => disagreements(v, more, `${path}[${k}]`));
  return structDisagreements(value, schema, path);
}

function structDisagreements(value: Fields, schema: Schema, path: string): string[] {
  const properties = schema.properties ?? {};
  const declared = Object.keys(properties);
  const keys = Object.keys(value);
  const wrong = keys.filter(k => !declared.includes(k)).map(k => `${path}.${k} is unknown`);
  const ordered = declared.filter(k => keys.includes(k));
  if (!wrong.length && ordered.join() !== keys.join())
    wrong.push(`${path}: ${keys.join()} instead of ${ordered.join()}`);
  for (const [name, property] of Object.entries(properties)) {
    const isPresent = Object.hasOwn(value, name);
    if (property.presence === 'always' && !isPresent) wrong.push(`${path}.${name} is not written`);
    if (property.presence === 'omitempty' && isPresent && isZero(value[name])) wrong.push(`${path}.${name} is zero`);
    if (property.presence !== 'always' && isPresent && value[name] === null) wrong.push(`${path}.${name} is null`);
    if (isPresent) wrong.push(...disagreements(value[name], property, `${path}.${name}`));
  }
  return wrong;
}

/** Yields every native object in the recorded answers. */
function* nativeObjects(value: unknown): Generator<{ object: Fields; schema: Schema; name: string }> {
  if (Array.isArray(value)) for (const item of value) yield* nativeObjects(item);
  if (!isObject(value)) return;
  const gvk = kindOf(value);
  const schema = gvk && nativeSchemaFor(gvk);
  if (schema && isObject(value.metadata)) yield { object: value, schema, name: `${schema.typeName}` };
  else for (const member of Object.values(value)) yield* nativeObjects(member);
}

t.test('objects of kube-apiserver agree with the facts', async t => {
  for (const area of [
    'defaults',
    'metadata',
    'patch',
    'listwatch',
    'apply',
    'admission',
    'crd',
    'authz',
    'fieldvalidation',
  ]) {
    const { cases } = recorded(`corpus/${area}.json`) as {
      cases: { name: string; steps: { only?: unknown; ignore?: unknown; want?: unknown }[] }[];
    };
    const wrong: string[] = [];
    let count = 0;
    for (const { name, steps } of cases)
      for (const step of steps.filter(s => !s.only && !s.ignore))
        for (const found of nativeObjects(step.want)) {
          count++;
          wrong.push(...disagreements(found.object, found.schema, `${name}: ${found.name}`));
        }
    t.ok(count > 10, `${area} has ${count} objects`);
    t.same(wrong.slice(0, 40), [], area);
  }
});

t.test('schemas are one graph, which is built on access', async t => {
  const deployment = nativeSchemaFor({ group: 'apps', version: 'v1', kind: 'Deployment' });
  t.equal(deployment, nativeSchema('io.k8s.api.apps.v1.Deployment'));
  t.equal(deployment?.properties, deployment?.properties);
  const props = nativeSchema('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps');
  t.equal(props.properties?.not?.properties, props.properties, 'a type that contains itself');
  t.equal(props.properties?.items?.items?.properties, props.properties);
  t.equal(props.properties?.constructor, undefined, 'names of Object.prototype are not fields');
  t.throws(() => nativeSchema('io.k8s.api.apps.v1.Nothing'), /no native type is called/);
  t.throws(() => nativeSchema('constructor.name'), /no native type is called/);
  t.equal(nativeSchemaFor({ group: 'apps', version: 'v1', kind: 'Nothing' }), undefined);
});

t.test('fields have the facts of OpenAPI and the Go types', async t => {
  const pod = nativeSchema('io.k8s.api.core.v1.PodSpec').properties ?? {};
  const meta = nativeSchema('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta').properties ?? {};
  const table: { name: string; given: Schema | undefined; expect: Partial<Schema> }[] = [
    {
      name: 'a list that is merged by a key',
      given: pod.containers,
      expect: {
        type: 'array',
        presence: 'always',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        'x-kubernetes-patch-strategy': 'merge',
        'x-kubernetes-patch-merge-key': 'name',
      },
    },
    { name: 'a pointer', given: pod.terminationGracePeriodSeconds, expect: { format: 'int64', presence: 'pointer' } },
    { name: 'omitempty', given: pod.nodeName, expect: { type: 'string', presence: 'omitempty' } },
    {
      name: 'a default that is not zero',
      given: nativeSchema('io.k8s.api.core.v1.ServicePort').properties?.protocol,
      expect: { default: 'TCP', presence: 'omitempty' },
    },
    {
      name: 'a pointer that is written as null',
      given: nativeSchema('io.k8s.api.core.v1.TypedLocalObjectReference').properties?.apiGroup,
      expect: { type: 'string', presence: 'always', nullable: true },
    },
    { name: 'omitzero', given: meta.creationTimestamp, expect: { scalar: 'time', presence: 'omitempty' } },
    {
      name: 'an atomic map',
      given: pod.nodeSelector,
      expect: { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' },
    },
  ];
  for (const { name, given, expect } of table) t.match(given, expect, name);
});

t.test('types are found by kind, and kinds by type', async t => {
  const names = nativeTypeNames();
  t.equal(names.length, 715);
  for (const name of names)
    for (const kind of kindsOfType(name)) t.equal(nativeTypeName(kind), name, `${name} is found by its kind`);
  t.equal(nativeTypeName({ group: 'apps', version: 'v1', kind: 'DeleteOptions' })?.endsWith('.DeleteOptions'), true);
  t.same(kindsOfType('io.k8s.api.core.v1.PodSpec'), []);
});
