import t from 'tap';
import { nativeSchemaFor } from '../../../openapi/facts/load.js';
import type { JsonObject, KubeObject } from '../../../openapi/interface.js';
import { emptyObject } from '../../../openapi/patch/empty-object.js';
import { newFields } from '../../../openapi/patch/new-fields.js';
import { trackable } from '../../../openapi/patch/ownership.js';
import { filterOf } from '../../../openapi/patch/reset-fields.js';
import { union } from '../../../openapi/patch/typed/field-set.js';
import { writeFieldsV1 } from '../../../openapi/patch/typed/fields-v1.js';
import { objectShape } from '../../../openapi/patch/typed/shape.js';
import { compareTyped } from '../../../openapi/patch/typed/typed-compare.js';
import type { Schema } from '../../../openapi/schema/interface.js';

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
const template = (image: string, name = 'a') => ({ spec: { template: { spec: { containers: [{ name, image }] } } } });

const cases: readonly { name: string; schema: Schema; one: JsonObject; other: JsonObject; alike: boolean }[] = [
  { name: 'values', schema: configMap, one: { data: { k: 'one' } }, other: { data: { k: 'another' } }, alike: true },
  { name: 'keys', schema: configMap, one: { data: { k: 'one' } }, other: { data: { l: 'one' } }, alike: false },
  {
    name: 'keys that look like two',
    schema: configMap,
    one: { data: { 'a.1:b': 'one' } },
    other: { data: { a: 'one', b: 'one' } },
    alike: false,
  },
  { name: 'an empty map', schema: configMap, one: { data: {} }, other: { data: { k: 'one' } }, alike: false },
  { name: 'null', schema: configMap, one: { data: null }, other: { data: {} }, alike: false },
  {
    name: 'what is absent',
    schema: configMap,
    one: { data: { k: 'one', l: undefined } },
    other: { data: { k: 'another' } },
    alike: true,
  },
  { name: 'keys of items', schema: service, one: port(80), other: port(81), alike: false },
  { name: 'other keys of items', schema: service, one: port(80), other: port(80, 'UDP'), alike: false },
  { name: 'names of items', schema: deployment, one: template('i'), other: template('i', 'b'), alike: false },
  { name: 'zeros', schema: deployment, one: { spec: { replicas: 0 } }, other: { spec: { replicas: 3 } }, alike: false },
  { name: 'a status', schema: deployment, one: { status: {} }, other: { status: { replicas: 3 } }, alike: false },
];

function anew(value: KubeObject, schema: Schema): JsonObject {
  const { added, modified } = compareTyped(emptyObject(schema), value, objectShape(schema));
  return writeFieldsV1(trackable(union(modified, added)));
}

t.test('what is remembered is what a comparison finds', t => {
  for (const { name, schema, one, other, alike } of cases) {
    const first = newFields(object(one), schema, all);
    const second = newFields(object(other), schema, all);
    t.equal(first === second, alike, name);
    t.strictSame(writeFieldsV1(first), anew(object(one), schema), name);
    t.strictSame(writeFieldsV1(second), anew(object(other), schema), name);
    t.equal(newFields(object(one), schema, all), first, `${name}: again`);
  }
  t.end();
});

t.test('what an endpoint resets is not owned, whoever asked before', t => {
  const value = object({ spec: { replicas: 3 }, status: { replicas: 3 } });
  const reset = filterOf(['status']);
  t.strictSame(writeFieldsV1(newFields(value, deployment, reset)), { 'f:spec': { 'f:replicas': {} } });
  t.strictSame(Object.keys(writeFieldsV1(newFields(value, deployment, all))), ['f:spec', 'f:status']);
  t.strictSame(Object.keys(writeFieldsV1(newFields(value, deployment, reset))), ['f:spec']);
  t.end();
});

t.test('large objects are not remembered', t => {
  const data = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`key-${i}`, 'some value']));
  const value = object({ data });
  const found = newFields(value, configMap, all);
  t.strictSame(writeFieldsV1(found), anew(value, configMap));
  t.not(newFields(value, configMap, all), found);
  t.end();
});
