/** The compare-and-swap loop of all changes: what it stores, when it decides again, and how many writers of one object share it. */
import t, { type Test } from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import type { ResourceStore } from '../../../../registry/pipeline/stored/resource-stores.js';
import {
  guaranteedUpdate,
  type Result,
  type UpdateDecision,
} from '../../../../registry/pipeline/stored/guaranteed-update.js';
import { storageKey } from '../../../../registry/pipeline/stored/keys.js';
import { configMap, configmaps } from '../../serve.js';
import { openDeps } from '../deps.js';

interface Opened {
  readonly store: ResourceStore;
  readonly key: string;
  /** Returns the draft with the number as its data. */
  readonly counted: (count: number) => KubeObject;
  readonly write: (count: number) => UpdateDecision;
}

async function open(t: Test): Promise<Opened> {
  const { deps, definition } = await openDeps(t);
  const store = deps.stores.of(definition(configmaps));
  const counted = (count: number): KubeObject => configMap('a', { data: { count: String(count) } });
  return {
    store,
    key: storageKey(store.definition, 'default', 'a'),
    counted,
    write: count => ({ type: 'write', draft: counted(count) }),
  };
}

const countOf = (object: KubeObject | undefined): number =>
  Number((object?.['data'] as { count?: string } | undefined)?.count ?? 0);

function storedOf(result: Result): { readonly object: KubeObject; readonly revision: number } {
  if (result.type !== 'written' && result.type !== 'left') throw new Error(`the result is ${result.type}`);
  return result.stored;
}

t.test('a write creates the object, or replaces it; one that changes nothing is skipped', async t => {
  const { store, key, write } = await open(t);
  const update = (decision: UpdateDecision) => guaranteedUpdate(store, key, () => Promise.resolve(decision));
  const first = await update(write(1));
  t.match(first, { type: 'written', created: true });
  const second = await update(write(2));
  t.match(second, { type: 'written', created: false });
  t.ok(storedOf(second).revision > storedOf(first).revision);
  const third = await update(write(2));
  t.match(third, { type: 'left' });
  t.equal(storedOf(third).revision, storedOf(second).revision);
  const left = await update({ type: 'leave' });
  t.equal(storedOf(left).revision, storedOf(second).revision);
  t.same(await update({ type: 'answer', object: configMap('b'), outcome: 'changed' }), {
    type: 'answer',
    object: configMap('b'),
    outcome: 'changed',
  });
  t.equal((await store.cache.get(key))?.revision, storedOf(second).revision, 'an answer stores nothing');
});

t.test('a removal returns the last state; what is absent can be neither left nor removed', async t => {
  const { store, key, counted, write } = await open(t);
  const update = (decision: UpdateDecision) => guaranteedUpdate(store, key, () => Promise.resolve(decision));
  await t.rejects(update({ type: 'leave' }), /nothing stands there/);
  await t.rejects(update({ type: 'remove' }), /nothing stands there/);
  await update(write(1));
  const removed = await update({ type: 'remove', object: counted(7) });
  if (removed.type !== 'removed') throw new Error(`the result is ${removed.type}`);
  t.equal(countOf(removed.last.object), 1);
  t.equal(countOf(removed.object), 7);
  t.equal(await store.cache.get(key), undefined);
});

t.test('another write meanwhile: the decision is made again, on the object of the other one', async t => {
  const { store, key, write } = await open(t);
  const seen: number[] = [];
  const overtaken =
    (decision: (count: number) => UpdateDecision) =>
    async (old: { readonly object: KubeObject } | undefined): Promise<UpdateDecision> => {
      const count = countOf(old?.object);
      seen.push(count);
      if (seen.length === 1) await guaranteedUpdate(store, key, () => Promise.resolve(write(count + 10)));
      return decision(count);
    };
  const created = await guaranteedUpdate(
    store,
    key,
    overtaken(count => write(count + 1)),
  );
  t.strictSame(seen.splice(0), [0, 10], 'the creation of another writer is kept');
  t.match(created, { type: 'written', created: false });
  t.equal(countOf(storedOf(created).object), 11);

  const changed = await guaranteedUpdate(
    store,
    key,
    overtaken(count => write(count + 1)),
  );
  t.strictSame(seen.splice(0), [11, 21]);
  t.equal(countOf(storedOf(changed).object), 22);

  const removed = await guaranteedUpdate(
    store,
    key,
    overtaken(() => ({ type: 'remove' })),
  );
  t.strictSame(seen, [22, 32]);
  t.equal(removed.type === 'removed' && countOf(removed.last.object), 32, 'the newest state is removed');
});

t.test('a refusal or a decision to change nothing counts only for the newest object', async t => {
  const { store, key, write } = await open(t);
  await guaranteedUpdate(store, key, () => Promise.resolve(write(1)));
  for (const [what, refuse] of [
    ['refused', () => Promise.reject(new Error('refused'))],
    ['left', () => Promise.resolve<UpdateDecision>({ type: 'leave' })],
  ] as const) {
    let decisions = 0;
    const before = countOf((await store.cache.get(key))?.value.object);
    const result = await guaranteedUpdate(store, key, async old => {
      if (++decisions > 1) return write(countOf(old?.object) + 1);
      await guaranteedUpdate(store, key, () => Promise.resolve(write(before + 10)));
      return refuse();
    });
    t.equal(decisions, 2, what);
    t.equal(countOf(storedOf(result).object), before + 11, what);
  }
  let decisions = 0;
  const refused = guaranteedUpdate(store, key, () => {
    decisions++;
    return Promise.reject(new Error('refused'));
  });
  await t.rejects(refused, /^refused$/);
  t.equal(decisions, 1, 'a refusal of the newest object is final');
});

t.test('many writers of one object all succeed, after at most two decisions each', async t => {
  const { store, key, write } = await open(t);
  const writers = 50;
  let decisions = 0;
  const increment = () =>
    guaranteedUpdate(store, key, old => {
      decisions++;
      return Promise.resolve(write(countOf(old?.object) + 1));
    });
  await Promise.all(Array.from({ length: writers }, increment));
  t.equal(countOf((await store.cache.get(key))?.value.object), writers);
  t.ok(decisions <= 2 * writers, `${decisions} decisions`);
  t.equal(store.keyLocks.isLocked(key), false, 'the lock is free again');
});
