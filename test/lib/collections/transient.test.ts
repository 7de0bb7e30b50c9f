import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { IndexedSet, type Registration } from '../../../lib/collections/indexed-set.js';
import { ChurnMap } from '../../../lib/collections/churn-map.js';
import { collect, oldSpace } from '../../old-space.js';
import { random } from '../../random.js';

t.test('a TransientMap answers as a Map does', async t => {
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

t.test('who goes through it sees what is added meanwhile, and not what is deleted', async t => {
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

t.test('a Crowd holds who has entered and not left', async t => {
  const { below, chance } = random(11);
  const crowd = new IndexedSet<number>();
  const model = new Map<number, Registration>();
  for (let i = 0; i < 5000; i++) {
    if (chance(0.55)) model.set(i, crowd.add(i));
    else {
      const [one, presence] = [...model][below(model.size)] ?? [];
      if (one === undefined || presence === undefined) continue;
      presence.remove();
      if (chance(0.3)) presence.remove(); // once more changes nothing
      model.delete(one);
    }
    if (crowd.size !== model.size) t.fail(`size at ${i}`);
  }
  t.strictSame(
    crowd.values().sort((a, b) => a - b),
    [...model.keys()],
  );
});

const megabyte = 1024 * 1024;

/** How many megabytes get old of 200 that come and go, 32 at a time. */
async function agedBy(come: (index: number, value: unknown) => () => void): Promise<number> {
  const leaves: (() => void)[] = Array.from({ length: 32 }, () => () => undefined);
  const turn = (index: number): void => {
    leaves[index % 32]?.();
    leaves[index % 32] = come(index, new Array<number>(250).fill(index));
  };
  for (let index = 0; index < 1000; index++) turn(index);
  collect(); // what stands there now is old
  const before = oldSpace();
  for (let index = 1000; index < 100_000; index++) {
    turn(index);
    if (index % 100 === 0) await setImmediate();
  }
  return Math.round((oldSpace() - before) / megabyte);
}

t.test('what has left does not grow old', async t => {
  const map = new ChurnMap<number, unknown>();
  const byKey = await agedBy((index, value) => {
    map.set(index, value);
    return () => map.delete(index);
  });
  t.ok(byKey < 12, `a TransientMap: ${byKey} MB of 200 got old`);
  const crowd = new IndexedSet<unknown>();
  const byPresence = await agedBy((_index, value) => {
    const presence = crowd.add(value);
    return () => presence.remove();
  });
  t.ok(byPresence < 12, `a Crowd: ${byPresence} MB of 200 got old`);
});
