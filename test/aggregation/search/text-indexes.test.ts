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

  put(key: string, cached: Cached): void {
    const old = this.#objects.get(key);
    this.#objects.set(key, cached);
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
  t.equal(text.index.size, rows.length);
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
  t.equal(text.index.size, 1);
  t.notOk(text.isComplete);
  t.match(lines, [{ cluster: 'member1', err: { message: 'broken' } }]);
  t.equal(lines.length, 1);
  mirror.put('a', cache(sent('a'), 'member1'));
  mirror.put('b', cache(sent('b'), 'member1'));
  await until(() => text.index.size === 3 && text.isComplete);
});
