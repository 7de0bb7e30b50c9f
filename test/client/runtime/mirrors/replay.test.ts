/** A mirror of many objects is reported to new listeners, and added to new indexes, in several turns of the event loop. */
import { performance } from 'node:perf_hooks';
import t, { type Test } from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import type { CachedObject, Client } from '../../../../client/interface.js';
import { createControllerContext } from '../../../../client/runtime/context.js';
import type { ControllerContext, Informer, Key } from '../../../../client/runtime/interface.js';
import { MirrorChange } from '../../../../client/runtime/mirrors/mirror-change.js';
import { Replay } from '../../../../client/runtime/mirrors/replay.js';
import { systemClock } from '../../../../lib/clock.js';
import { silent } from '../../../../server/logger.js';
import { countTurns } from '../../../count-turns.js';
import { configMap, configmaps, serve } from '../../../registry/serve.js';
import { until } from '../../../storage/until.js';
import { turnsDuring } from '../../../turns.js';

const count = 150;
const names = Array.from({ length: count }, (_, i) => `m${String(i).padStart(3, '0')}`);
const last = names.at(-1) ?? '';

/** Keeps the CPU busy for a millisecond: the listener parses an object of some size. */
function work(): void {
  const until = performance.now() + 1;
  while (performance.now() < until);
}

interface World {
  readonly client: Client;
  readonly context: ControllerContext;
  readonly mirror: Informer;
}

/** Returns a mirror with many objects. */
async function world(t: Test): Promise<World> {
  const { client } = await serve(t);
  for (const name of names) await client.create(configmaps, configMap(name, { data: { v: '1' } }));
  const stopping = new AbortController();
  const context = createControllerContext({ client, clock: systemClock, log: silent, signal: stopping.signal });
  t.teardown(async () => {
    stopping.abort();
    await context.finished();
  });
  const mirror = context.informers.informer(configmaps);
  await mirror.synced;
  return { client, context, mirror };
}

const valueOf = (object: KubeObject | undefined): string => (object?.['data'] as { v?: string } | undefined)?.v ?? '';

t.test('a listener hears of each object once, and of changes meanwhile before the end', async t => {
  const { client, mirror } = await world(t);
  const loop = countTurns();
  const lines: string[] = [];
  mirror.onChange(({ key, old, new: now, isReplay }) => {
    work();
    const kind = !old ? '+' : now ? '~' : '-';
    lines.push(`${kind}${key} ${valueOf(now)}${isReplay || old ? '' : ' now'}`);
  });
  const [first, deleted, changed] = ['m000', 'm147', 'm148'];
  t.ok(lines.length < count / 2, `${lines.length} objects in the first turn`);
  let isReplayed = false;
  const replayed = mirror.replayed.then(() => (isReplayed = true));
  await Promise.all([
    client.delete(configmaps, { namespace: 'default', name: deleted }),
    client.patch(configmaps, { namespace: 'default', name: changed }, { type: 'merge', patch: { data: { v: '2' } } }),
    client.delete(configmaps, { namespace: 'default', name: first }),
    client.create(configmaps, configMap('z', { data: { v: '3' } })),
  ]);
  await until('the deletion is reported', () => lines.includes(`-default/${first} `));
  t.notOk(isReplayed, 'the changes do not wait');
  await replayed;
  loop.stop();
  t.ok(loop.turns > 10, `${loop.turns} turns`);
  const of = (name: string): string[] => lines.filter(line => line.includes(`default/${name} `));
  t.same(of(deleted), [], 'an object that goes before it is reported');
  t.same(of(changed), [`+default/${changed} 2 now`], 'an object that changes before');
  t.same(of('z'), ['+default/z 3 now'], 'an object that comes meanwhile');
  t.same(of(last), [`+default/${last} 1`]);
  t.equal(lines.length, count + 1, 'all others are reported once, and the first one also as deleted');
});

t.test('a listener that has unsubscribed hears of no other object', async t => {
  const { mirror } = await world(t);
  let heard = 0;
  const unsubscribe = mirror.onChange(() => {
    work();
    heard++;
  });
  const before = heard;
  unsubscribe();
  await mirror.replayed;
  t.equal(heard, before);
  t.ok(heard < count);
});

t.test('the workers of a controller start when its listeners know all objects', async t => {
  const { context, mirror } = await world(t);
  const seen = new Set<string>();
  const atFirst: number[] = [];
  context.run({
    name: 'counting',
    synced: [mirror.synced],
    wire: queue =>
      void mirror.onChange(({ key }) => {
        work();
        seen.add(key);
        queue.add(key);
      }),
    reconcile: () => {
      atFirst.push(seen.size);
      return Promise.resolve();
    },
  });
  t.ok(seen.size < count, 'they do not know them at once');
  await until('all are reconciled', () => atFirst.length === count);
  t.equal(atFirst[0], count);
});

t.test('a new index of a mirror is complete when the mirror has synced', async t => {
  const { context } = await world(t);
  const loop = countTurns();
  const index = ({ metadata }: KubeObject): string[] => {
    work();
    return [metadata.name ?? ''];
  };
  const mirror = context.informers.informer(configmaps, { indexers: { index } });
  t.notOk(mirror.hasSynced);
  await mirror.synced;
  loop.stop();
  t.ok(mirror.hasSynced);
  t.ok(loop.turns > 10, `${loop.turns} turns`);
  for (const name of names) t.same([...mirror.keysByIndex('index', name)], [`default/${name}`]);
});

/** Returns a mirror of a hundred thousand small objects in 500 namespaces. */
function largeMirror(): Map<Key, CachedObject> {
  const mirror = new Map<Key, CachedObject>();
  for (let i = 0; i < 100_000; i++) {
    const metadata = { name: `m${i}`, namespace: `ns${i % 500}`, resourceVersion: String(i) };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    mirror.set(`${metadata.namespace}/${metadata.name}`, { object, size: 100, revision: metadata.resourceVersion });
  }
  return mirror;
}

/** Counts the values of a kind that are added to any Set while a function runs. */
async function addedToSets(isCounted: (value: unknown) => boolean, run: () => Promise<void>): Promise<number> {
  const prototype = Set.prototype as { add: (value: unknown) => unknown };
  const { add } = prototype;
  let count = 0;
  prototype.add = function (value) {
    if (isCounted(value)) count++;
    return add.call(this, value);
  };
  try {
    await run();
  } finally {
    prototype.add = add;
  }
  return count;
}

t.test('a mirror is replayed without a set of its keys until it changes', async t => {
  for (const changes of [false, true]) {
    const mirror = largeMirror();
    const [some = ''] = mirror.keys();
    const cached = mirror.get(some);
    let heard = 0;
    const added = await addedToSets(
      value => mirror.has(value as Key),
      () => {
        const replay = new Replay(mirror, () => heard++);
        if (changes) replay.passOn(new MirrorChange(some, cached, cached));
        return replay.done;
      },
    );
    t.equal(added, changes ? mirror.size : 0);
    t.ok(heard >= mirror.size, `${heard} reports`);
  }
});

t.test('no turn of a replay is long, with and without changes', async t => {
  for (const changes of [false, true]) {
    const mirror = largeMirror();
    const known = new Set<Key>();
    const [some = ''] = mirror.keys();
    let heard = 0;
    const { longest } = await turnsDuring(50, async () => {
      known.clear();
      const replay = new Replay(mirror, ({ key, newCached }) => {
        heard++;
        if (newCached) known.add(key);
        else known.delete(key);
      });
      const cached = mirror.get(some);
      if (changes) for (let i = 0; i < 10_000; i++) replay.passOn(new MirrorChange(some, cached, cached));
      await replay.done;
    });
    t.ok(longest < 50, `${longest} ms`);
    t.equal(known.size, mirror.size);
    t.ok(heard >= mirror.size);
  }
});

t.test('changes between any two turns of a replay are reported in their order', async t => {
  const mirror = largeMirror();
  const state = new Map<Key, string | undefined>();
  const faults: Key[] = [];
  const replay = new Replay(mirror, ({ key, oldCached, newCached }) => {
    if (state.get(key) !== (oldCached && String(oldCached.revision))) faults.push(key);
    state.set(key, newCached && String(newCached.revision));
  });
  let isOver = false;
  const done = replay.done.then(() => (isOver = true));
  const keys = [...mirror.keys()];
  const change = (key: Key, next: CachedObject | undefined): void => {
    const old = mirror.get(key);
    if (next) mirror.set(key, next);
    else mirror.delete(key);
    replay.passOn(new MirrorChange(key, old, next));
  };
  for (let i = 0; !isOver; i++) {
    await new Promise(resolve => {
      setImmediate(resolve);
    });
    for (const at of [i, keys.length - 1 - i, (i * 7919) % keys.length]) {
      const key = keys[at] ?? '';
      const old = mirror.get(key);
      if (i % 3 === 0) change(key, undefined);
      if (old && i % 3 !== 1) change(key, { ...old, revision: `${old.revision}-${i}` });
      else if (old) change(key, undefined);
    }
  }
  await done;
  t.same(faults, [], 'each change follows the state that was reported before');
  const wrong = keys.filter(
    key => state.get(key) !== (mirror.has(key) ? String(mirror.get(key)?.revision) : undefined),
  );
  t.same(wrong, [], 'the listener knows the last states');
});
