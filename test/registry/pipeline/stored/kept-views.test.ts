import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { KeptViews } from '../../../../registry/pipeline/stored/kept-views.js';
import type { Stored } from '../../../../registry/pipeline/interface.js';
import type { Revision } from '../../../../storage/interface.js';
import { collect } from '../../../old-space.js';
import { nextTurn } from '../../../../lib/time-slice.js';
import { until } from '../../../storage/until.js';

const v2 = { name: 'v2' };

const object = (name: string, spec: unknown = {}): KubeObject => ({
  apiVersion: 'example.com/v2',
  kind: 'Widget',
  metadata: { name },
  spec,
});

const stored = (name: string): Stored => ({
  key: `/widgets/${name}`,
  revision: 1 as Revision,
  json: Buffer.alloc(0),
  typeLength: 0,
  object: object(name),
});

/** Resolves when the bytes of an object that was added are counted. */
async function counted(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

t.test('converted objects that nobody uses take memory up to a limit', async t => {
  const limit = 1 << 20;
  const views = new KeptViews<typeof v2>(limit);
  const all = Array.from({ length: 300 }, (_, i) => stored(`w${i}`));
  for (const [i, item] of all.entries()) {
    // Half of them take their memory by text, the others by values.
    const spec = i % 2 === 0 ? 'x'.repeat(20_000) : Array.from({ length: 500 }, () => i);
    const converting = Promise.resolve(object(`w${i}`, spec));
    views.add(item, v2, converting);
    t.equal(views.find(item, v2), converting, 'it is being converted');
    await converting;
    await counted();
  }
  t.ok(views.bytes > limit / 2);
  t.ok(views.bytes <= limit, `${views.bytes} bytes are kept`);
  const inMemory = (): number => all.filter(item => views.find(item, v2) !== undefined).length;
  await until('the others are collected', () => {
    collect();
    return inMemory() < 60;
  });
  t.ok(inMemory() > 20, 'the last ones are kept');
  t.ok(views.find(all.at(-1) as Stored, v2));
});

t.test('what was used last stays, and what somebody holds is found', async t => {
  const views = new KeptViews<typeof v2>(100_000);
  const [first, second, third, fourth] = ['a', 'b', 'c', 'd'].map(stored) as [Stored, Stored, Stored, Stored];
  const convert = async (item: Stored, length = 30_000): Promise<KubeObject> => {
    const converting = Promise.resolve(object('x', 'x'.repeat(length)));
    views.add(item, v2, converting);
    await converting;
    await counted();
    return converting;
  };
  await convert(first);
  const held = await convert(second);
  await convert(third);
  views.find(first, v2);
  await convert(fourth);
  await until('the one that was not used is collected', () => {
    collect();
    return views.bytes < 100_000 && views.find(third, v2) !== undefined && views.find(first, v2) !== undefined;
  });
  t.equal(views.find(second, v2), held, 'it is not kept, but held');
  const huge = await convert(stored('huge'), 200_000);
  t.ok(huge);
  t.ok(views.bytes > 80_000, 'an object beyond the limit displaces no others');
});

t.test('nothing is kept for a stored object that is not in memory any more', async t => {
  const views = new KeptViews<typeof v2>();
  const inMemory = Array.from({ length: 50 }, (_, i) => stored(`s${i}`));
  for (const item of inMemory) {
    const converting = Promise.resolve(object('x', 'x'.repeat(30_000)));
    views.add(item, v2, converting);
    await converting;
    await counted();
  }
  collect();
  await counted();
  t.ok(views.bytes > 1_000_000, 'they are kept while the stored objects are in memory');
  inMemory.length = 0;
  await until('all are collected', () => {
    collect();
    return views.bytes < 100_000;
  });
});

t.test('a failed conversion is not kept', async t => {
  const views = new KeptViews<typeof v2>();
  const item = stored('a');
  const failing = Promise.reject(new Error('no answer'));
  views.add(item, v2, failing);
  await t.rejects(failing);
  t.equal(views.find(item, v2), undefined);
});
