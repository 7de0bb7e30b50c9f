import t from 'tap';
import { inspectFields, jsonType } from '../../../apimachinery/codec/fields.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { parseStrict } from '../../../apimachinery/codec/strict-json.js';
import { Literal } from '../../../lib/json/literal.js';

const container: Schema = {
  type: 'object',
  typeName: 'io.k8s.api.core.v1.Container',
  properties: {
    name: { type: 'string' },
    size: { type: 'string', scalar: 'quantity' },
    port: { type: 'integer', format: 'int32' },
  },
};
const pod: Schema = {
  type: 'object',
  typeName: 'io.k8s.api.core.v1.Pod',
  properties: {
    containers: { type: 'array', items: container },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    at: { type: 'string', scalar: 'time' },
    target: { type: 'string', scalar: 'intOrString' },
    data: { type: 'string', format: 'byte' },
    count: { type: 'integer', format: 'int64' },
    share: { type: 'number' },
    on: { type: 'boolean' },
    schema: {},
  },
};
const inspected = (text: string) => inspectFields(parseStrict(text), pod);
const into = (what: string): string => `json: cannot unmarshal ${what}`;

t.test('a sound document has no faults', async t => {
  const text =
    '{"containers":[{"name":"a","size":1.5,"port":80}],"labels":{"a":"b"},"target":"x","on":true,"share":0.5}';
  t.strictSame(inspected(text), { faults: [], unknown: [] });
  t.strictSame(inspected('{"containers":null,"on":null,"at":null}'), { faults: [], unknown: [] });
});

t.test('unknown and duplicate fields have their paths, in the order of the document', async t => {
  const { faults, unknown } = inspected(
    '{"b":1,"containers":[{"name":"x","name":"y"},{"foo":1,"constructor":2}],"labels":{"k":"1","k":"2"}}',
  );
  t.strictSame(faults, [
    'unknown field "b"',
    'duplicate field "containers[0].name"',
    'unknown field "containers[1].foo"',
    'unknown field "containers[1].constructor"',
    'duplicate field "labels.k"',
  ]);
  t.strictSame(unknown, ['b', 'containers[1].foo', 'containers[1].constructor']);
});

t.test('a fault is named once, and at most 100 are', async t => {
  t.strictSame(inspected('{"b":1,"b":2}').faults, ['unknown field "b"']);
  const many = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`f${i}`, 1]));
  t.equal(inspectFields(many, pod).faults.length, 100);
});

t.test('a JSON schema inside an object is not inspected', async t => {
  t.strictSame(inspected('{"schema":{"anything":1,"anything":2}}'), { faults: [], unknown: [] });
});

t.test('without a schema only duplicate keys are found', async t => {
  t.strictSame(inspectFields(parseStrict('{"a":[{"b":1,"b":2}]}')).faults, ['duplicate field "a[0].b"']);
});

const wrong = [
  { given: '{"on":"true"}', expect: `${into('string')} into Go struct field Pod.on of type bool` },
  {
    given: '{"containers":{}}',
    expect: `${into('object')} into Go struct field Pod.containers of type []v1.Container`,
  },
  { given: '{"containers":[1]}', expect: `${into('number')} into Go struct field Pod.containers of type v1.Container` },
  { given: '{"labels":[]}', expect: `${into('array')} into Go struct field Pod.labels of type map[string]string` },
  {
    given: '{"containers":[{"port":1.5}]}',
    expect: `${into('number 1.5')} into Go struct field Container.containers.port of type int32`,
  },
  {
    given: '{"containers":[{"port":2147483648}]}',
    expect: `${into('number 2147483648')} into Go struct field Container.containers.port of type int32`,
  },
  {
    given: '{"count":9223372036854775808}',
    expect: `${into('number 9223372036854775808')} into Go struct field Pod.count of type int64`,
  },
  { given: '{"share":1e999}', expect: `${into('number 1e999')} into Go struct field Pod.share of type float64` },
  { given: '{"share":"1"}', expect: `${into('string')} into Go struct field Pod.share of type float64` },
  { given: '{"data":"*"}', expect: 'illegal base64 data at input byte 0' },
  { given: '[]', expect: `${into('array')} into Go value of type v1.Pod` },
];

t.test('the first value of a wrong type is named with its Go type', async t => {
  for (const { given, expect } of wrong) t.equal(inspected(given).error, expect, given);
  const two = inspected('{"on":1,"share":"x","foo":1}');
  t.equal(two.error, `${into('number')} into Go struct field Pod.on of type bool`);
  t.strictSame(two.faults, ['unknown field "foo"'], 'the rest of the document is inspected');
});

t.test('the largest and smallest numbers of an integer type fit', async t => {
  for (const n of ['9223372036854775807', '-9223372036854775808'])
    t.equal(inspected(`{"count":${n}}`).error, undefined, n);
  t.match(inspected('{"count":-9223372036854775809}').error, /number -9223372036854775809/);
});

t.test('an UnmarshalJSON that refuses a text ends the inspection', async t => {
  const { error, faults } = inspected('{"at":"yesterday","foo":1}');
  t.match(error, /cannot parse "yesterday"/);
  t.strictSame(faults, []);
  t.match(inspected('{"at":1}').error, /cannot unmarshal number into Go struct field Pod.at of type string/);
  t.match(inspected('{"target":true,"foo":1}'), { error: /cannot unmarshal bool/, faults: [] });
  t.match(inspected('{"containers":[{"size":{}}]}').error, /quantities must match the regular expression/);
});

t.test('types of JSON have the names of encoding/json', async t => {
  t.strictSame([new Literal('1'), 1, 1n, [], {}, true, 's'].map(jsonType), [
    ...['number', 'number', 'number', 'array', 'object', 'bool', 'string'],
  ]);
});
