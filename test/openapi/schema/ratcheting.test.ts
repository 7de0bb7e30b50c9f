import t from 'tap';
import { correlate } from '../../../apimachinery/codec/correlation.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { validateBothWays } from './validate-both-ways.js';

t.test('unchanged invalid values are tolerated', async t => {
  const schema: Schema = {
    type: 'object',
    properties: {
      n: { type: 'integer', maximum: 5 },
      s: { type: 'object', properties: { x: { type: 'string', enum: ['a'] }, y: { type: 'string' } }, required: ['y'] },
      m: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer', maximum: 5 } } },
      },
      l: { type: 'array', items: { type: 'integer', maximum: 5 } },
    },
  };
  const old = {
    n: 50,
    s: { x: 'b' },
    m: [
      { k: 'a', v: 50 },
      { k: 'b', v: 1 },
    ],
    l: [50, 1],
  };
  const paths = (value: object): string[] =>
    validateBothWays(value, schema, { old: correlate(value, old, schema) }).map(f => f.path);
  const copy = (): typeof old => JSON.parse(JSON.stringify(old)) as typeof old;
  t.same(paths(copy()), []);
  t.same(paths({ ...copy(), n: 60 }), ['n']);
  t.same(paths({ ...copy(), s: { x: 'b', z: 1 } }), ['s.y'], 'the enum did not change, the object did');
  t.same(
    paths({
      ...copy(),
      m: [
        { k: 'b', v: 2 },
        { k: 'a', v: 50 },
      ],
    }),
    [],
    'items of list maps are found by key',
  );
  t.same(
    paths({
      ...copy(),
      m: [
        { k: 'c', v: 50 },
        { k: 'a', v: 51 },
      ],
    }),
    ['m[0].v', 'm[1].v'],
  );
  t.same(paths({ ...copy(), l: [50, 2] }), ['l[0]'], 'other lists are compared whole');
});
