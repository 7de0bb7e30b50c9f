import t from 'tap';
import { nativeSchemaFor } from '../../../openapi/facts/native-schemas.js';
import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import { emptyObject } from '../../../apimachinery/patch/empty-object.js';
import { newFields } from '../../../apimachinery/patch/new-fields.js';
import { trackable } from '../../../apimachinery/patch/ownership.js';
import { filterOf } from '../../../apimachinery/patch/reset-fields.js';
import { unionOfSets } from '../../../apimachinery/patch/typed/field-set.js';
import { writeFieldsV1 } from '../../../apimachinery/patch/typed/fields-v1.js';
import { objectShape } from '../../../apimachinery/patch/typed/shape.js';
import { compareTyped } from '../../../apimachinery/patch/typed/typed-compare.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';

function native(group: string, kind: string): Schema {
  const schema = nativeSchemaFor({ group, version: 'v1', kind });
  if (!schema) throw new Error(kind);
  return schema;
}

const configMap = native('', 'ConfigMap');
const service = native('', 'Service');
const deployment = native('apps', 'Deployment');
const all = filterOf(undefined);

const object = (rest: JsonObject): KubeObject => ({ apiVersion: 'v1', kind: 'K', metadata: { name: 'a' }, ...rest });
const port = (port: number, protocol = 'TCP') => ({ spec: { ports: [{ port, protocol }] } });
const template = (image: string, name = 'a', more = {}) => ({
  spec: { template: { spec: { containers: [{ name, image, ...more }] } } },
});
const owner = (uid: string, more = {}) => ({ apiVersion: 'v1', kind: 'Owner', name: 'o', uid, ...more });
const owned = (...ownerReferences: JsonObject[]) => ({ metadata: { name: 'a', ownerReferences } });
const held = (...finalizers: string[]) => ({ metadata: { name: 'a', finalizers } });
const twice = { name: 'a', image: 'image-one' };

const cases: readonly { name: string; schema: Schema; one: JsonObject; other: JsonObject; alike: boolean }[] = [
  { name: 'values', schema: configMap, one: { data: { k: 'one' } }, other: { data: { k: 'another' } }, alike: true },
  { name: 'keys', schema: configMap, one: { data: { k: 'one' } }, other: { data: { l: 'one' } }, alike: false },
  {
    name: 'one key that looks like two',
    schema: configMap,
    one: { data: { 'a.1:b': 'one' } },
    other: { data: { a: 'one', b: 'one' } },
    alike: false,
  },
  { name: 'an empty map', schema: configMap, one: { data: {} }, other: { data: { k: 'one' } }, alike: false },
  { name: 'null', schema: configMap, one: { data: null }, other: { data: {} }, alike: false },
  {
    name: 'an undefined value',
    schema: configMap,
    one: { data: { k: 'one', l: undefined } },
    other: { data: { k: 'another' } },
    alike: true,
  },
  { name: 'keys of items', schema: service, one: port(80), other: port(81), alike: false },
  { name: 'second keys of items', schema: service, one: port(80), other: port(80, 'UDP'), alike: false },
  { name: 'names of items', schema: deployment, one: template('i'), other: template('i', 'b'), alike: false },
  { name: 'values of items', schema: deployment, one: template('one'), other: template('other'), alike: true },
  {
    name: 'fields of items',
    schema: deployment,
    one: template('image', 'a', { tty: true }),
    other: template('image'),
    alike: false,
  },
  {
    name: 'keys with a default',
    schema: service,
    one: port(80),
    other: { spec: { ports: [{ port: 80 }] } },
    alike: false,
  },
  {
    name: 'items of an atomic list',
    schema: deployment,
    one: template('image', 'a', { args: ['--one'] }),
    other: template('image', 'a', { args: ['--other', '--more'] }),
    alike: true,
  },
  {
    name: 'an empty atomic list',
    schema: deployment,
    one: template('image', 'a', { args: [] }),
    other: template('image', 'a', { args: ['--one'] }),
    alike: false,
  },
  {
    name: 'duplicate items',
    schema: deployment,
    one: { spec: { template: { spec: { containers: [twice, twice] } } } },
    other: { spec: { template: { spec: { containers: [twice] } } } },
    alike: false,
  },
  {
    name: 'items without their keys',
    schema: deployment,
    one: { spec: { template: { spec: { containers: [{ image: 'image-one' }] } } } },
    other: { spec: { template: { spec: { containers: [{ image: 'image-two' }] } } } },
    alike: true,
  },
  {
    name: 'null items',
    schema: deployment,
    one: { spec: { template: { spec: { containers: [null] } } } },
    other: { spec: { template: { spec: { containers: [null, { image: 'image-two' }] } } } },
    alike: false,
  },
  { name: 'members of a set', schema: configMap, one: held('a.b/one'), other: held('a.b/two'), alike: false },
  { name: 'owners', schema: configMap, one: owned(owner('u-one')), other: owned(owner('u-two')), alike: false },
  {
    name: 'two owners, one of them the controller',
    schema: configMap,
    one: owned(owner('u-one', { controller: true }), owner('u-two')),
    other: owned(),
    alike: false,
  },
  { name: 'zeros', schema: deployment, one: { spec: { replicas: 0 } }, other: { spec: { replicas: 3 } }, alike: false },
  { name: 'a status', schema: deployment, one: { status: {} }, other: { status: { replicas: 3 } }, alike: false },
];

function anew(value: KubeObject, schema: Schema): JsonObject {
  const { added, modified } = compareTyped(emptyObject(schema), value, objectShape(schema));
  return writeFieldsV1(trackable(unionOfSets(modified, added)));
}

t.test('cached sets equal those of a comparison', t => {
  for (const { name, schema, one, other, alike } of cases) {
    const first = newFields(object(one), schema, all);
    const second = newFields(object(other), schema, all);
    t.equal(first === second, alike, name);
    t.strictSame(writeFieldsV1(first), anew(object(one), schema), name);
    t.strictSame(writeFieldsV1(second), anew(object(other), schema), name);
    if (!('metadata' in one && 'ownerReferences' in (one['metadata'] as JsonObject)))
      t.equal(newFields(object(one), schema, all), first, `${name}: again`);
  }
  t.end();
});

t.test('fields that an endpoint resets have no owner, also after calls with other filters', t => {
  const value = object({ spec: { replicas: 3 }, status: { replicas: 3 } });
  const reset = filterOf(['status']);
  t.strictSame(writeFieldsV1(newFields(value, deployment, reset)), { 'f:spec': { 'f:replicas': {} } });
  t.strictSame(Object.keys(writeFieldsV1(newFields(value, deployment, all))), ['f:spec', 'f:status']);
  t.strictSame(Object.keys(writeFieldsV1(newFields(value, deployment, reset))), ['f:spec']);
  t.end();
});

t.test('sets of large objects are not cached', t => {
  const data = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`key-${i}`, 'some value']));
  const value = object({ data });
  const found = newFields(value, configMap, all);
  t.strictSame(writeFieldsV1(found), anew(value, configMap));
  t.not(newFields(value, configMap, all), found);
  t.end();
});
