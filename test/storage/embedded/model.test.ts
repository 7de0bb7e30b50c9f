import t from 'tap';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import type { Backend, Revision } from '../../../storage/interface.js';
import { bytes, take, text } from '../../conformance/store.js';
import { temporaryFolder } from '../folder.js';

/** A random generator with a seed, so that failures are reproducible. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** The reference model: a map of every state. */
type State = ReadonlyMap<string, { readonly value: string; readonly revision: number }>;

const show = (state: State): [string, string, number][] =>
  [...state]
    .map(([key, { value, revision }]): [string, string, number] => [key, value, revision])
    .sort(([a], [b]) => (a < b ? -1 : 1));

async function shown(store: Backend, at: number): Promise<[string, string | undefined, number][]> {
  const page = await store.range('/', { at: at as Revision });
  return page.items.map(item => [item.key, text(item.value), item.revision]);
}

t.test('after thousands of random writes with restarts, every state can be read', async t => {
  const directory = await temporaryFolder(t);
  const draw = random(7);
  const states = new Map<number, State>([[1, new Map()]]);
  let store = await openEmbedded({ directory, snapshotBytes: 30_000 });
  let newest = 1;
  for (let round = 0; round < 60; round++) {
    const writes = Array.from({ length: 1 + draw(60) }, () => ({ key: `/${draw(40)}`, remove: draw(3) === 0 }));
    // Writes are decided in the order of the calls, before they are durable.
    const state = new Map(states.get(newest));
    const outcomes = writes.map(({ key, remove }, i) => {
      const standing = state.get(key);
      const stale = draw(8) === 0;
      const expect = stale ? newest + 1_000_000 : (standing?.revision ?? 'absent');
      if (stale || (remove && standing === undefined)) {
        return { won: false, outcome: store.put(key, (newest + 1_000_000) as Revision, bytes('stale')) };
      }
      newest++;
      const value = `${round}.${i}`.padEnd(1 + draw(300), '.');
      if (remove) state.delete(key);
      else state.set(key, { value, revision: newest });
      states.set(newest, new Map(state));
      const outcome = remove
        ? store.remove(key, expect as Revision)
        : store.put(key, expect as Revision | 'absent', bytes(value));
      return { won: true, outcome };
    });
    for (const { won, outcome } of outcomes) t.equal((await outcome).type, won ? 'done' : 'conflict');
    if (draw(6) === 0) {
      await store.close();
      store = await openEmbedded({ directory, snapshotBytes: 30_000 });
    }
    t.equal(await store.revision(), newest);
    for (const at of [newest, newest - draw(newest), newest - draw(newest)]) {
      t.same(await shown(store, at), show(states.get(at) ?? new Map<string, never>()), `round ${round}, at ${at}`);
    }
  }
  const changes = await take(store.watch('/', 1 as Revision, new AbortController().signal), newest - 1);
  const replayed = new Map<string, { value: string; revision: number }>();
  for (const [index, change] of changes.entries()) {
    t.equal(change.revision, index + 2);
    const key = change.type === 'put' ? change.item.key : change.key;
    t.equal(change.previous?.revision, replayed.get(key)?.revision, `what ${key} was before ${change.revision}`);
    if (change.type === 'remove') replayed.delete(key);
    else replayed.set(key, { value: text(change.item.value) ?? '', revision: change.revision });
  }
  t.same(show(replayed), show(states.get(newest) ?? new Map<string, never>()));
  await store.close();
});
