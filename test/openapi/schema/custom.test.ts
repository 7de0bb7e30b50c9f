import t from 'tap';
import { nativeSchema } from '../../../openapi/facts/native-schemas.js';
import type { StatusCause } from '../../../apimachinery/interface.js';
import { causesOf } from '../../../apimachinery/errors/status.js';
import { coerceObject } from '../../../openapi/schema/coerce.js';
import { DecodeError } from '../../../apimachinery/codec/decode-error.js';
import { applyDefaults, dropNulls } from '../../../openapi/schema/default.js';
import { embeddedFaults } from '../../../openapi/schema/embedded.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { listTypeFaults } from '../../../openapi/schema/list-types.js';
import { prune } from '../../../openapi/schema/prune.js';
import { validateValue } from '../../../openapi/schema/validation/validate.js';
import { recorded } from '../../data.js';

const objectMeta = nativeSchema('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');

interface Step {
  do?: string;
  body?: Record<string, unknown>;
  want?: {
    status: number;
    warnings?: string[];
    body: { message?: string; spec?: unknown; details?: { causes?: StatusCause[] } };
  };
}

interface Definition {
  spec: { versions: { schema: { openAPIV3Schema: Schema } }[] };
}

t.test('duplicates are found in list maps with many keys', t => {
  const keys = Array.from({ length: 20 }, (_, i) => `k${i}`);
  const schema: Schema = {
    type: 'array',
    items: { type: 'object', properties: Object.fromEntries(keys.map(name => [name, { type: 'string' }])) },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
  };
  const all = Object.fromEntries(keys.map((name, i) => [name, `${i}`]));
  const reversed = Object.fromEntries(Object.entries(all).reverse());
  const paths = (list: readonly unknown[]): string[] => listTypeFaults(list, schema, 'l').map(({ path }) => path);
  t.same(paths([all, { ...all, k19: 'other' }, { k0: '0' }, { k1: '0' }, {}]), []);
  t.same(paths([all, reversed, {}, { other: 1 }, { k2: 'a', k1: 'b' }, { k1: 'b', k2: 'a' }]), [
    'l[1]',
    'l[3]',
    'l[5]',
  ]);
  const same = Array.from({ length: 3000 }, (_, i) => ({ k1: `${i % 1500}` }));
  t.equal(paths(same).length, 1500);
  t.end();
});

t.test('recorded custom resources have the results of kube-apiserver', async t => {
  const { cases } = recorded('corpus/crd.json') as { cases: { name: string; steps: Step[] }[] };
  let compared = 0;
  for (const { name, steps } of cases) {
    if (!name.startsWith('live/validate/')) continue;
    const definition = steps[0]?.body as unknown as Definition;
    const schema = definition.spec.versions[0]?.schema.openAPIV3Schema ?? {};
    for (const { do: line = '', body, want } of steps.slice(1)) {
      if (!body || !want) continue;
      const object = JSON.parse(JSON.stringify(body)) as Record<string, unknown>;
      const unknown = coerceObject(object, schema, { objectMeta }).map(path => `unknown field "${path}"`);
      if (line.includes('Strict')) {
        if (want.status === 400) t.match(want.body.message ?? '', `strict decoding error: ${unknown.join(', ')}`, name);
        else t.same(unknown, [], name);
      } else {
        t.same(
          unknown.map(text => `299 - ${JSON.stringify(text)}`),
          want.warnings ?? [],
          name,
        );
      }
      applyDefaults(object, schema);
      const faults = [
        ...validateValue(object, schema),
        ...embeddedFaults(object, schema, () => []),
        ...listTypeFaults(object, schema),
      ];
      if (want.status !== 400) t.same(causesOf(faults), want.body.details?.causes ?? [], name);
      if (want.status === 201) t.same(object['spec'], want.body.spec, `${name} spec`);
      compared++;
    }
  }
  t.ok(compared >= 30, `${compared} compared`);
});

t.test('pruning removes unknown fields and returns their paths', async t => {
  const embedded: Schema = {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    properties: { spec: { type: 'object' } },
  };
  const cases: { name: string; schema: Schema; given: object; expect: object; unknown: string[]; root?: boolean }[] = [
    {
      name: 'root',
      schema: { type: 'object', properties: { a: { type: 'string' } } },
      given: { apiVersion: 'v1', kind: 'K', metadata: { x: 1 }, a: '1', b: 2 },
      expect: { apiVersion: 'v1', kind: 'K', metadata: { x: 1 }, a: '1' },
      unknown: ['b'],
      root: true,
    },
    {
      name: 'maps, lists and preserved unknown fields',
      schema: {
        type: 'object',
        properties: {
          map: { type: 'object', additionalProperties: { type: 'object', properties: { k: { type: 'string' } } } },
          list: { type: 'array', items: { type: 'object', properties: { k: { type: 'string' } } } },
          any: { type: 'object', additionalProperties: true },
          free: {
            type: 'object',
            'x-kubernetes-preserve-unknown-fields': true,
            properties: { known: { type: 'object', properties: { k: { type: 'string' } } } },
          },
        },
      },
      given: {
        map: { x: { k: '', z: 1 } },
        list: [{ k: '' }, { y: 1 }],
        any: { x: 1, o: { y: 1 } },
        free: { other: { deep: 1 }, known: { k: '', z: 1 } },
      },
      expect: {
        map: { x: { k: '' } },
        list: [{ k: '' }, {}],
        any: { x: 1, o: {} },
        free: { other: { deep: 1 }, known: { k: '' } },
      },
      unknown: ['any.o.y', 'free.known.z', 'list[1].y', 'map.x.z'],
    },
    {
      name: 'embedded',
      schema: { type: 'object', properties: { e: embedded } },
      given: { e: { apiVersion: 'v1', kind: 'K', metadata: { name: 'x' }, spec: { a: 1 }, status: {} } },
      expect: { e: { apiVersion: 'v1', kind: 'K', metadata: { name: 'x' }, spec: {} } },
      unknown: ['e.spec.a', 'e.status'],
    },
  ];
  for (const { name, schema, given, expect, unknown, root = false } of cases) {
    t.same(prune(given, schema, { root }), unknown, name);
    t.same(given, expect, name);
  }
});

t.test('defaults replace absent fields and forbidden nulls', async t => {
  const schema: Schema = {
    type: 'object',
    properties: {
      a: { type: 'string', default: 'x' },
      n: { type: 'string', default: 'x', nullable: true },
      o: { type: 'object', default: {}, properties: { deep: { type: 'integer', default: 7 } } },
      m: { type: 'object', additionalProperties: { type: 'integer', default: 3 } },
      l: { type: 'array', items: { type: 'object', properties: { k: { type: 'boolean', default: true } } } },
      q: { type: 'string' },
      nq: { type: 'string', nullable: true },
    },
  };
  const object = { a: null, n: null, m: { x: null, y: 1 }, l: [{}, { k: false }], q: null, nq: null };
  dropNulls(object, schema);
  t.same(object, { a: null, n: null, m: { x: null, y: 1 }, l: [{}, { k: false }], nq: null });
  applyDefaults(object, schema);
  t.same(object, { a: 'x', n: null, m: { x: 3, y: 1 }, l: [{ k: true }, { k: false }], nq: null, o: { deep: 7 } });
  const other = {} as { o: object };
  applyDefaults(other, schema);
  t.not(other.o, (object as unknown as { o: object }).o, 'defaults are copied');
});

t.test('embedded objects are validated and their metadata is decoded', async t => {
  const schema: Schema = {
    type: 'object',
    properties: { l: { type: 'array', items: { type: 'object', 'x-kubernetes-embedded-resource': true } } },
  };
  const bad = { l: [{ apiVersion: 'a/b/c', kind: '9', metadata: { name: 'x' } }, { kind: '' }] };
  t.same(
    embeddedFaults(bad, schema, (_, path) => [{ reason: 'FieldValueInvalid', path, message: 'checked' }]).map(
      f => `${f.path}: ${f.message}`,
    ),
    [
      'l[0].apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      "l[0].kind: Invalid value: \"9\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      'l[0].metadata: checked',
      'l[1].apiVersion: Required value',
      'l[1].kind: Invalid value: "": must not be empty',
    ],
  );
  const object = () => ({ l: [{ kind: 1, metadata: { labels: { a: 1 }, name: 'x', odd: 1 } }] });
  t.throws(
    () => coerceObject(object(), schema, { objectMeta }),
    new DecodeError('l[0].kind: Invalid value: 1: must be a string'),
  );
  const dropped = object();
  coerceObject(dropped, schema, { objectMeta, drop: true });
  t.same(dropped, { l: [{ metadata: { name: 'x' } }] });
  t.throws(
    () => coerceObject({ kind: 1 }, schema, { objectMeta }),
    new DecodeError('.kind accessor error: 1 is of the type int64, expected string'),
  );
  t.throws(
    () => coerceObject({ metadata: { labels: { a: 1 } } }, schema, { objectMeta }),
    new DecodeError('json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string'),
  );
});

t.test('the size of defaults is bounded', t => {
  const items = (value: unknown): Schema => ({
    type: 'array',
    items: { type: 'object', properties: { d: { type: 'array', default: value } } },
  });
  const list = (): object[] => Array.from({ length: 10_000 }, () => ({}));
  t.ok(applyDefaults(list(), items(['x'])), 'a few for each item');
  const many = Array.from({ length: 100 }, () => 'x');
  t.notOk(applyDefaults(list(), items(many)), 'many for each item');
  t.notOk(applyDefaults(list(), items(['x'.repeat(10_000)])), 'long ones');
  const nulls = Array.from({ length: 10_000 }, () => null);
  t.notOk(applyDefaults(nulls, { type: 'array', items: { type: 'array', default: many } }), 'in place of nulls');
  t.end();
});
