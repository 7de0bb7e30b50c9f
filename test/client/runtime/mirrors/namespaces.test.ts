/** The index of a mirror by namespace is built in several turns of the event loop, and answers meanwhile. */
import t from 'tap';
import { Namespaces } from '../../../../client/runtime/mirrors/namespaces.js';
import { turnsDuring } from '../../../turns.js';

const count = 100_000;
const namespaceCount = 500;

const keyAt = (i: number): string => (i % 1000 === 0 ? `c${i}` : `ns${i % namespaceCount}/m${i % 5000}-${i}`);

/** Returns a mirror of many objects, some of which have no namespace. */
function largeMirror(): Map<string, number> {
  const mirror = new Map<string, number>();
  for (let i = 0; i < count; i++) mirror.set(keyAt(i), i);
  return mirror;
}

const expected = (mirror: ReadonlyMap<string, number>, namespace: string): string[] =>
  [...mirror.keys()].filter(key => (key.includes('/') ? key.split('/')[0] === namespace : namespace === ''));

const aTurn = (): Promise<void> =>
  new Promise(resolve => {
    setImmediate(resolve);
  });

t.test('the first use takes no long turn', async t => {
  const mirror = largeMirror();
  const wanted = expected(mirror, 'ns7').length;
  let size = 0;
  const { longest } = await turnsDuring(25, async () => {
    const index = new Namespaces(mirror);
    size = index.keysIn('ns7').size;
    // The turns in which the index is completed are measured as well.
    for (let i = 0; i < 100; i++) await aTurn();
  });
  t.equal(size, wanted);
  t.ok(longest < 25, `${longest} ms`);
});

t.test('answers are right while the mirror changes, before and after the index is complete', async t => {
  const mirror = largeMirror();
  const index = new Namespaces(mirror);
  const check = (namespaces: readonly string[]): void => {
    for (const namespace of namespaces)
      t.same([...index.keysIn(namespace)].sort(), expected(mirror, namespace).sort(), `of ${namespace}`);
  };
  const add = (key: string): void => {
    mirror.set(key, 0);
    index.added(key);
  };
  const remove = (key: string): void => {
    mirror.delete(key);
    index.removed(key);
  };
  check(['ns1', '', 'none']);
  add('none/a');
  remove(keyAt(1));
  remove(keyAt(count - 2));
  add('ns498/new');
  add('cluster-scoped');
  check(['ns1', '', 'none', 'ns498']);
  remove('none/a');
  t.same([...index.keysNamed('new')], ['ns498/new']);
  t.same([...index.keysNamed('cluster-scoped')], ['cluster-scoped']);
  for (let i = 0; i < 100; i++) {
    await aTurn();
    remove(keyAt(i * 7));
    add(`ns${i}/later`);
  }
  const all = new Map(['', 'none'].map(namespace => [namespace, 0]));
  for (let i = 0; i < namespaceCount; i++) all.set(`ns${i}`, 0);
  for (const key of mirror.keys()) {
    const namespace = key.includes('/') ? (key.split('/')[0] ?? '') : '';
    all.set(namespace, (all.get(namespace) ?? 0) + 1);
  }
  const wrong = [...all].filter(([namespace, size]) => index.keysIn(namespace).size !== size);
  t.same(wrong, []);
  t.equal([...index.keysNamed('later')].length, 100);
});

t.test('many namespaces that are asked for at once are not searched one by one', async t => {
  const mirror = largeMirror();
  const { longest } = await turnsDuring(200, () => {
    const index = new Namespaces(mirror);
    let sum = index.keysIn('').size;
    for (let i = 0; i < namespaceCount; i++) sum += index.keysIn(`ns${i}`).size;
    if (sum !== count) throw new Error(`${sum} keys`);
    return Promise.resolve();
  });
  t.ok(longest < 200, `${longest} ms`);
});
