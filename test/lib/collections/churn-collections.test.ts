import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { IndexedSet, type Registration } from '../../../lib/collections/indexed-set.js';
import { ChurnMap } from '../../../lib/collections/churn-map.js';
import { collect, oldSpace } from '../../old-space.js';
import { random } from '../../random.js';

t.test('a ChurnMap behaves like a Map', async t => {
  const { below, chance } = random(7);
  const map = new ChurnMap<number, number>();
  const model = new Map<number, number>();
  const faults: string[] = [];
  for (let i = 0; i < 20_000; i++) {
    const key = below(60);
    if (chance(0.5)) {
      map.set(key, i);
      model.set(key, i);
    } else if (map.delete(key) !== model.delete(key)) faults.push(`delete at ${i}`);
    if (chance(0.001)) {
      map.clear();
      model.clear();
    }
    const probe = below(60);
    if (map.get(probe) !== model.get(probe) || map.has(probe) !== model.has(probe)) faults.push(`get at ${i}`);
    if (map.size !== model.size) faults.push(`size at ${i}`);
    if (i % 100 === 0) t.strictSame([...map.entries()], [...model.entries()]);
  }
  t.strictSame(faults, []);
});

t.test('an iteration sees entries that are added meanwhile, and none that are deleted', async t => {
  const map = new ChurnMap<string, number>();
  for (const [index, key] of ['a', 'b', 'c'].entries()) map.set(key, index);
  const seen: number[] = [];
  for (const value of map.values()) {
    seen.push(value);
    if (value === 0) {
      map.delete('b');
      map.set('d', 3);
    }
  }
  t.strictSame(seen, [0, 2, 3]);
});

t.test('an IndexedSet holds the values that were added and not removed', async t => {
  const { below, chance } = random(11);
  const indexedSet = new IndexedSet<number>();
  const model = new Map<number, Registration>();
  for (let i = 0; i < 5000; i++) {
    if (chance(0.55)) model.set(i, indexedSet.add(i));
    else {
      const [one, entry] = [...model][below(model.size)] ?? [];
      if (one === undefined || entry === undefined) continue;
      entry.remove();
      if (chance(0.3)) entry.remove(); // removing it again changes nothing
      model.delete(one);
    }
    if (indexedSet.size !== model.size) t.fail(`size at ${i}`);
  }
  t.strictSame(
    indexedSet.values().sort((a, b) => a - b),
    [...model.keys()],
  );
});

const megabyte = 1024 * 1024;

/** Returns how many of 200 MB of short-lived values, 32 values at a time, reach the old generation. */
async function promotedBy(come: (index: number, value: unknown) => () => void): Promise<number> {
  const leaves: (() => void)[] = Array.from({ length: 32 }, () => () => undefined);
  const turn = (index: number): void => {
    leaves[index % 32]?.();
    leaves[index % 32] = come(index, new Array<number>(250).fill(index));
  };
  for (let index = 0; index < 1000; index++) turn(index);
  collect(); // moves the current values to the old generation
  const before = oldSpace();
  for (let index = 1000; index < 100_000; index++) {
    turn(index);
    if (index % 100 === 0) await setImmediate();
  }
  return Math.round((oldSpace() - before) / megabyte);
}

t.test('removed values do not reach the old generation', async t => {
  const map = new ChurnMap<number, unknown>();
  const byMap = await promotedBy((index, value) => {
    map.set(index, value);
    return () => map.delete(index);
  });
  t.ok(byMap < 12, `ChurnMap: ${byMap} of 200 MB are in the old generation`);
  const indexedSet = new IndexedSet<unknown>();
  const bySet = await promotedBy((_index, value) => {
    const entry = indexedSet.add(value);
    return () => entry.remove();
  });
  t.ok(bySet < 12, `IndexedSet: ${bySet} of 200 MB are in the old generation`);
});
