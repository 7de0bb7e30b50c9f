import t from 'tap';
import { generationChanged } from '../../../client/runtime/generation.js';
import type { CachedObject } from '../../../client/interface.js';
import type { KubeObject } from '../../../apimachinery/interface.js';

const of = (generation: number | undefined, label = ''): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'a', labels: { label }, ...(generation !== undefined && { generation }) },
});

const cached = (object: KubeObject | undefined): CachedObject | undefined => object && { object, revision: 0 };

t.test('generationChanged is true for new and deleted objects, and for another generation', async t => {
  const cases: { name: string; given: [old: KubeObject | undefined, now: KubeObject | undefined]; expect: boolean }[] =
    [
      { name: 'a new object', given: [undefined, of(1)], expect: true },
      { name: 'a deleted object', given: [of(1), undefined], expect: true },
      { name: 'another specification', given: [of(1), of(2)], expect: true },
      { name: 'another label or status only', given: [of(2, 'x'), of(2, 'y')], expect: false },
      { name: 'a kind without generations', given: [of(undefined, 'x'), of(undefined, 'y')], expect: false },
    ];
  for (const {
    name,
    given: [old, now],
    expect,
  } of cases)
    t.equal(generationChanged({ oldCached: cached(old), newCached: cached(now) }), expect, name);
});

t.test('what the cache knows of an object is compared without parsing it', async t => {
  const unparsed = (generation: number): CachedObject => ({
    generation,
    revision: generation,
    get object(): KubeObject {
      throw new Error('it is parsed');
    },
  });
  t.ok(generationChanged({ oldCached: unparsed(1), newCached: unparsed(2) }));
  t.notOk(generationChanged({ oldCached: unparsed(2), newCached: unparsed(2) }));
  t.notOk(generationChanged({ oldCached: unparsed(2), newCached: cached(of(2)) }), 'the other one is parsed');
});
