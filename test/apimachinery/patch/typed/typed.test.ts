/** The fields, the faults and the shapes of values of a schema. */
import t from 'tap';
import { nativeSchemaFor } from '../../../../openapi/facts/native-schemas.js';
import type { JsonObject } from '../../../../apimachinery/interface.js';
import { withNamedFields, reconcileWithSchema } from '../../../../apimachinery/patch/typed/field-set-schema.js';
import { equalSets } from '../../../../apimachinery/patch/typed/field-set.js';
import { writeFieldsV1 } from '../../../../apimachinery/patch/typed/fields-v1.js';
import { objectShape } from '../../../../apimachinery/patch/typed/shape.js';
import { atOnce } from '../../../../lib/time-slice.js';
import { fieldsOf, namedFieldsOf } from '../../../../apimachinery/patch/typed/typed-fields.js';
import { fieldsInSteps } from '../../../../apimachinery/patch/typed/typed-fields-steps.js';
import { typedFault, typedFaultInSteps } from '../../../../apimachinery/patch/typed/typed-validate.js';
import { fields, of, parse, shape, spec } from './typed-fixture.js';

t.test('the fields of a value', t => {
  const rows: readonly (readonly [string, JsonObject, JsonObject])[] = [
    ['scalars', { text: 'x', number: 1 }, { 'f:text': {}, 'f:number': {} }],
    ['null', { text: null, labels: null, set: null }, { 'f:text': {}, 'f:labels': {}, 'f:set': {} }],
    ['map keys', { labels: { b: '1', a: '2' } }, { 'f:labels': { 'f:a': {}, 'f:b': {} } }],
    ['empty map', { labels: {}, free: {} }, { 'f:labels': {}, 'f:free': {} }],
    ['keys of maps of objects', { nested: { k: { a: '1' } } }, { 'f:nested': { 'f:k': { '.': {}, 'f:a': {} } } }],
    ['atomic map', { atomicMap: { a: '1' } }, { 'f:atomicMap': {} }],
    ['atomic list', { list: ['a'] }, { 'f:list': {} }],
    ['set', { set: ['b', 'a'] }, { 'f:set': { 'v:"a"': {}, 'v:"b"': {} } }],
    ['empty set', { set: [], items: [] }, {}],
    [
      'map list with a default in its key',
      { ports: [{ port: 80 }] },
      { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } } },
    ],
    ['duplicate items', { items: [{ name: 'a' }, { name: 'a' }] }, { 'f:items': { 'k:{"name":"a"}': {} } }],
    ['undeclared', { free: { x: { y: [1] }, z: 1 } }, { 'f:free': { 'f:x': { '.': {}, 'f:y': {} }, 'f:z': {} } }],
    ['nothing declared', { empty: { x: { y: 1 } } }, { 'f:empty': { 'f:x': { '.': {}, 'f:y': {} } } }],
    [
      'embedded resource',
      { template: { kind: 'X', metadata: { finalizers: ['q'], ownerReferences: [{ uid: 'u' }] } } },
      {
        'f:template': {
          'f:kind': {},
          'f:metadata': { 'f:finalizers': { 'v:"q"': {} }, 'f:ownerReferences': { 'k:{"uid":"u"}': {} } },
        },
      },
    ],
  ];
  for (const [name, value, expect] of rows) {
    const set = fieldsOf(of(value), shape);
    t.ok(equalSets(atOnce(fieldsInSteps(of(value), shape)), set), 'in steps');
    t.strictSame(spec(set), parse({ 'f:x': expect }).children ? fields(parse(expect)) : {}, name);
    t.ok(equalSets(namedFieldsOf(of(value), shape), withNamedFields(set, shape)), `${name}: named`);
  }
  t.end();
});

t.test('invalid values have the errors of upstream', t => {
  const rows: readonly (readonly [JsonObject, string | undefined])[] = [
    [{ text: 'x', size: '1', number: 1.5, list: ['a', 'a'], set: ['a'], free: { any: [{}] } }, undefined],
    [{ text: null, ports: null }, undefined],
    [{ bogus: 1 }, '.spec.bogus: field not declared in schema'],
    [{ text: 1 }, '.spec.text: expected string, got &value.valueUnstructured{Value:1}'],
    [
      { text: { a: [true] } },
      '.spec.text: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":[]interface {}{true}}}',
    ],
    [{ number: 'x' }, '.spec.number: expected numeric (int or float), got string'],
    [{ number: {} }, '.spec.number: expected numeric (int or float), got map[string]interface {}'],
    [{ flag: 'x' }, '.spec.flag: expected boolean, got &{x}'],
    [{ list: { a: null } }, '.spec.list: expected list, got &{map[a:<nil>]}'],
    [{ labels: ['a', 1.5] }, '.spec.labels: expected map, got &{[a 1.5]}'],
    [{ labels: { a: 1 } }, '.spec.labels.a: expected string, got &value.valueUnstructured{Value:1}'],
    [{ list: ['a', 1] }, '.spec.list[1]: expected string, got &value.valueUnstructured{Value:1}'],
    [{ set: ['a', 'a'] }, '.spec.set: duplicate entries for key [="a"]'],
    [{ set: [{}] }, ".spec.set: element 0: associative list without keys has an element that's a map type"],
    [{ set: [[]] }, '.spec.set: element 0: not supported: associative list with lists as elements'],
    [{ set: [null] }, ".spec.set: element 0: associative list without keys has an element that's an explicit null"],
    [{ items: [{ name: 'a' }, { name: 'a' }] }, '.spec.items: duplicate entries for key [name="a"]'],
    [
      { ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] },
      '.spec.ports: duplicate entries for key [port=1,protocol="TCP"]',
    ],
    [
      { items: [{ value: 'a' }] },
      '.spec.items: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
    [{ items: [null] }, '.spec.items: element 0: associative list with keys may not have a null element'],
    [{ items: ['a'] }, '.spec.items: element 0: associative list with keys may not have non-map elements'],
    [
      { items: [{ name: 'a', value: 1 }], number: true },
      'errors:\n  .spec.items[name="a"].value: expected string, got &value.valueUnstructured{Value:1}\n  .spec.number: expected numeric (int or float), got bool',
    ],
  ];
  for (const [value, expect] of rows) {
    t.equal(typedFault(of(value), shape), expect);
    t.equal(atOnce(typedFaultInSteps(of(value), shape)), expect, 'in steps');
  }
  t.equal(typedFault(of({ set: ['a', 'a'], items: [{ name: 'a' }, { name: 'a' }] }), shape, 'allowed'), undefined);
  t.equal(typedFault({ ...of({}), metadata: { labels: 1 } }, shape), '.metadata.labels: expected map, got &{1}');
  t.end();
});

t.test('sets are adapted to a schema that became atomic', t => {
  const set = parse({
    'f:spec': { 'f:atomicMap': { '.': {}, 'f:a': {} }, 'f:list': { 'v:"a"': {} }, 'f:labels': { 'f:a': {} } },
  });
  const out = reconcileWithSchema(set, shape);
  t.strictSame(fields(out), { 'f:spec': { 'f:atomicMap': {}, 'f:labels': { 'f:a': {} }, 'f:list': {} } });
  t.equal(reconcileWithSchema(out, shape), out);
  t.end();
});

t.test('shapes of native kinds', t => {
  const pod = nativeSchemaFor({ group: '', version: 'v1', kind: 'Pod' });
  if (!pod) throw new Error('Pod');
  const podShape = objectShape(pod);
  const value = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'p',
      ownerReferences: [{ uid: 'u', kind: 'K', name: 'n', apiVersion: 'v1' }],
      creationTimestamp: null,
    },
    spec: {
      nodeSelector: { a: 'b' },
      containers: [{ image: 'x', resources: { limits: { cpu: 1 } }, ports: [{ containerPort: 80 }], command: ['a'] }],
      volumes: [{ name: 'v', configMap: { items: [{ key: 'k', path: 'p' }] } }],
    },
  };
  t.equal(typedFault(value, podShape), undefined, 'the name of a container has the default ""');
  t.strictSame(writeFieldsV1(fieldsOf(value, podShape))['f:spec'], {
    'f:containers': {
      'k:{"name":""}': {
        '.': {},
        'f:command': {},
        'f:image': {},
        'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
        'f:resources': { 'f:limits': { 'f:cpu': {} } },
      },
    },
    'f:nodeSelector': {},
    'f:volumes': { 'k:{"name":"v"}': { '.': {}, 'f:configMap': { 'f:items': {} }, 'f:name': {} } },
  });
  t.equal(
    typedFault({ ...value, spec: { containers: [{ name: 'c', imagee: 'x' }] } }, podShape),
    '.spec.containers[name="c"].imagee: field not declared in schema',
  );
  const crd = nativeSchemaFor({ group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' });
  if (!crd) throw new Error('CustomResourceDefinition');
  const open = {
    type: 'object',
    default: { a: [1] },
    properties: { a: { items: { type: 'string' }, additionalProperties: false } },
  };
  const definition = { spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: open } }] } };
  t.equal(typedFault(definition, objectShape(crd)), undefined, 'types that write themselves may be anything');
  t.end();
});
