import t from 'tap';
import { cache, type Cached } from '../../../aggregation/search/cached.js';
import { TextIndexes } from '../../../aggregation/search/text-indexes.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Informer, ObjectChange } from '../../../client/runtime/interface.js';
import { type Logger, silent } from '../../../lib/logging/interface.js';
import { until } from '../../authn/serve.js';

type Mirror = Pick<Informer<Cached>, 'get' | 'onChange'>;

/** A mirror whose objects the test puts. */
class TestMirror implements Mirror {
  readonly #objects = new Map<string, Cached>();
  readonly #listeners = new Set<(change: ObjectChange<Cached>) => void>();

  get(key: string): Cached | undefined {
    return this.#objects.get(key);
  }

  onChange(listener: (change: ObjectChange<Cached>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  put(key: string, cached: Cached | undefined): void {
    const old = this.#objects.get(key);
    if (cached) this.#objects.set(key, cached);
    else this.#objects.delete(key);
    for (const listener of this.#listeners)
      listener({ key, old, new: cached, oldCached: undefined, newCached: undefined });
  }
}

/** Returns an object as a member sends it. */
const sent = (name: string, metadata: object = {}, more: object = {}): KubeObject =>
  JSON.parse(
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, ...more }),
  ) as KubeObject;

const megabyte = 1024 * 1024;

t.test('an object whose metadata has values of other types is indexed', async t => {
  const mirror = new TestMirror();
  const text = new TextIndexes(megabyte, silent).follow(mirror, {});
  const rows: [name: string, metadata: object][] = [
    ['a', { namespace: null }],
    ['b', { labels: { a: null, b: 5, c: {} } }],
    ['c', { annotations: { a: null, b: 5, c: [] }, namespace: 7 }],
    ['d', { labels: null, annotations: null, name: null }],
  ];
  for (const [name, metadata] of rows) mirror.put(name, cache(sent(name, metadata), 'member1'));
  await until(() => text.isCurrent);
  t.equal(text.index.objects.size, rows.length);
  t.ok(text.isComplete);
});

t.test('an object that cannot be indexed is missing, and reported once; others are indexed', async t => {
  const lines: object[] = [];
  const log: Logger = { ...silent, error: (fields, message) => void lines.push({ ...fields, message }) };
  const mirror = new TestMirror();
  const text = new TextIndexes(megabyte, log).follow(mirror, { cluster: 'member1' });
  const broken = (name: string): Cached =>
    Object.defineProperty(cache(sent(name), 'member1'), 'object', {
      get() {
        throw new Error('broken');
      },
    });
  for (const name of ['a', 'b']) mirror.put(name, broken(name));
  mirror.put('c', cache(sent('c'), 'member1'));
  await until(() => text.isCurrent);
  t.equal(text.index.objects.size, 1);
  t.notOk(text.isComplete);
  t.match(lines, [{ cluster: 'member1', err: { message: 'broken' } }]);
  t.equal(lines.length, 1);
  mirror.put('a', cache(sent('a'), 'member1'));
  mirror.put('b', cache(sent('b'), 'member1'));
  await until(() => text.index.objects.size === 3 && text.isComplete);
});

t.test('an object that did not fit is put in when another mirror stops', async t => {
  const indexes = new TextIndexes(megabyte, silent);
  const [first, second] = [new TestMirror(), new TestMirror()];
  const [left, right] = [first, second].map(mirror => indexes.follow(mirror, {}));
  for (let i = 0; i < 4000; i++) first.put(`o${i}`, cache(sent(`o${i}`), 'member1'));
  await until(() => left?.isCurrent === true);
  t.notOk(left?.isComplete, 'the memory is full');
  second.put('late', cache(sent('late'), 'member2'));
  await until(() => right?.isCurrent === true);
  t.notOk(right?.isComplete);
  left?.stop();
  await until(() => right?.isComplete === true);
  t.equal(right?.index.objects.size, 1);
});

t.test('an object that did not fit is put in when others are removed', async t => {
  const mirror = new TestMirror();
  const text = new TextIndexes(megabyte, silent).follow(mirror, {});
  for (let i = 0; i < 4000; i++) mirror.put(`o${i}`, cache(sent(`o${i}`), 'member1'));
  await until(() => text.isCurrent);
  t.notOk(text.isComplete, 'the memory is full');
  for (let i = 0; i < 3990; i++) mirror.put(`o${i}`, undefined);
  await until(() => text.isComplete && text.isCurrent);
  t.equal(text.index.objects.size, 10);
});

t.test('a list of a term that grows when the memory is almost full does not end the process', async t => {
  const indexes = new TextIndexes(megabyte, silent);
  const mirror = new TestMirror();
  const text = indexes.follow(mirror, {});
  const data = Object.fromEntries(Array.from({ length: 180 }, (_, i) => [`k${i}`, `same${i}`]));
  for (let i = 0; i < 3000; i++) mirror.put(`o${i}`, cache(sent(`o${i}`, {}, { data }), 'member1'));
  await until(() => text.isCurrent);
  t.notOk(text.isComplete);
  t.ok(text.index.objects.size > 100, `${text.index.objects.size} are indexed`);
});
