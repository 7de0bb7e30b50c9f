import t, { type Test } from 'tap';
import { expired } from '../../../apimachinery/errors/status.js';
import { MirrorBudget } from '../../../client/watch/budget.js';
import { type FollowOptions, follow } from '../../../client/watch/follow.js';
import { cachedReader } from '../../../client/watch/cached-reader.js';
import type { Client, CachedObject } from '../../../client/interface.js';
import { systemClock } from '../../../lib/clock.js';
import { until } from '../../storage/until.js';
import { configMap, configmaps, serve } from '../../registry/serve.js';
import { breakable } from '../breakable.js';
import { waysToRead } from '../ways-to-read.js';

const withValue = (name: string, v: string) => configMap(name, { data: { v } });
const key = (name: string) => ({ namespace: 'default', name });

/** Follows config maps and records changes as `+key value`, `~key old value` and `-key old`. Pauses last until `again` is called. */
function followed(t: Test, client: Client, options: Partial<FollowOptions> = {}) {
  const stopping = new AbortController();
  const changes: string[] = [];
  const errors: unknown[] = [];
  const pauses: number[] = [];
  let goOn = (): void => undefined;
  const valueOf = (held: CachedObject | undefined): string =>
    (held?.object.data as { v?: string } | undefined)?.v ?? '';
  const following = follow(configmaps, {
    client,
    clock: {
      ...systemClock,
      sleep(milliseconds, signal) {
        pauses.push(milliseconds);
        return new Promise(resolve => {
          goOn = resolve;
          if (signal?.aborted) resolve();
          signal?.addEventListener('abort', () => resolve());
        });
      },
    },
    onChange: (name, oldCached, newCached) => {
      const [before, after] = [valueOf(oldCached), valueOf(newCached)];
      changes.push(!oldCached ? `+${name} ${after}` : newCached ? `~${name} ${before} ${after}` : `-${name} ${before}`);
    },
    onError: error => errors.push(error),
    signal: stopping.signal,
    ...options,
  });
  t.teardown(() => stopping.abort());
  return { ...following, changes, errors, pauses, again: () => goOn(), stop: () => stopping.abort() };
}

for (const { where, of } of waysToRead) {
  t.test(`${where}: a broken watch resumes where it stopped`, async t => {
    const { client } = await serve(t);
    const breaking = breakable(of(client));
    const mirror = followed(t, breaking.client);
    await mirror.synced;
    const a = await client.create(configmaps, withValue('a', '1'));
    await until('the first change', () => mirror.changes.length === 1);
    const failure = new Error('the connection is gone');
    breaking.fail(failure);
    await client.create(configmaps, withValue('b', '1'));
    await client.delete(configmaps, key('a'));
    breaking.heal();
    await until('a pause', () => mirror.pauses.length === 1);
    t.same(mirror.errors, [failure]);
    mirror.again();
    await until('the missed changes', () => mirror.changes.length === 3);
    t.same(mirror.changes, ['+default/a 1', '+default/b 1', '-default/a 1'], 'no change is missed or repeated');
    t.equal(breaking.lists(), 1);
    t.equal(breaking.began[1], a.metadata.resourceVersion);
    t.same([...mirror.objects.keys()], ['default/b']);
  });

  t.test(`${where}: after 410 the follower lists again and reports the differences`, async t => {
    const { client } = await serve(t);
    for (const name of ['changed', 'gone', 'kept', 'replaced']) await client.create(configmaps, withValue(name, '1'));
    const breaking = breakable(of(client));
    const { changes, errors, pauses, again, synced } = followed(t, breaking.client);
    await synced;
    await until('a watch', () => breaking.began.length === 1);
    breaking.fail(expired('too old resource version: 1 (2)'));
    await until('a pause', () => pauses.length === 1);
    t.same(errors, [], '410 is not an error');
    changes.length = 0;
    await client.patch(configmaps, key('changed'), { type: 'merge', patch: { data: { v: '2' } } });
    await client.delete(configmaps, key('gone'));
    await client.delete(configmaps, key('replaced'));
    await client.create(configmaps, withValue('replaced', '2'));
    await client.create(configmaps, withValue('new', '1'));
    t.same(changes, [], 'no changes while disconnected');
    breaking.heal();
    again();
    await until('the difference', () => changes.length === 5);
    const replaced = ['-default/replaced 1', '+default/replaced 2'];
    t.same(
      changes.filter(line => line.includes('replaced')),
      replaced,
      'one object was deleted, another one created',
    );
    t.equal(changes[0], '-default/gone 1', 'deleted objects are reported first');
    t.same(changes.slice(1).sort(), [...replaced, '+default/new 1', '~default/changed 1 2'].sort());
    t.equal(breaking.lists(), 2);
    await client.delete(configmaps, key('new'));
    await until('the next change', () => changes.length === 6);
    t.equal(changes[5], '-default/new 1', 'and the watch continues from there');
  });
}

t.test('retries of a server that ends every watch at once are backed off', async t => {
  const { client } = await serve(t);
  const { cached: _cached, ...rest } = client;
  const ending: Client = {
    ...rest,
    watch: async function* () {
      return;
    },
  };
  const { pauses, again, errors } = followed(t, ending, { maxRetryMs: 200 });
  for (let i = 1; i <= 4; i++) {
    await until('a pause', () => pauses.length === i);
    again();
  }
  t.same(pauses.slice(0, 4), [50, 100, 200, 200]);
  t.same(errors, [], 'an ended watch is not an error');
});

t.test('objects of a resource that is not served any more are removed', async t => {
  const { client, catalogue } = await serve(t);
  await client.create(configmaps, withValue('a', '1'));
  const breaking = breakable(client);
  const { changes, pauses, again, synced } = followed(t, breaking.client);
  await synced;
  await until('a watch', () => breaking.began.length === 1);
  catalogue.remove('', 'configmaps');
  breaking.fail(expired('too old resource version: 1 (2)'));
  await until('a pause', () => pauses.length === 1);
  t.same(changes, ['+default/a 1'], 'an interruption changes no objects');
  again();
  await until('an answer', () => pauses.length === 2);
  t.same(changes, ['+default/a 1', '-default/a 1']);
});

t.test('a 404 of a server with a discovery removes objects only if that is without the resource', async t => {
  const { client, catalogue } = await serve(t);
  await client.create(configmaps, withValue('a', '1'));
  let lacks = (): Promise<boolean> => Promise.reject(new Error('no answer'));
  const breaking = breakable({ ...client, cached: { ...cachedReader(client), lacks: () => lacks() } });
  const { changes, pauses, errors, again, synced } = followed(t, breaking.client);
  await synced;
  await until('a watch', () => breaking.began.length === 1);
  catalogue.remove('', 'configmaps');
  breaking.fail(expired('too old resource version: 1 (2)'));
  for (const [i, answer] of [lacks, () => Promise.resolve(false), () => Promise.resolve(true)].entries()) {
    await until('a pause', () => pauses.length === i + 1);
    t.same([changes, errors.length], [['+default/a 1'], i]);
    lacks = answer;
    again();
  }
  await until('the last answer', () => pauses.length === 4);
  t.same(changes, ['+default/a 1', '-default/a 1']);
});

t.test('following ends when its signal aborts', async t => {
  const { client } = await serve(t);
  const reached = followed(t, client);
  await reached.synced;
  reached.stop();
  await reached.done;
  const signal = AbortSignal.abort();
  const never = followed(t, client, { signal });
  await t.rejects(never.synced, /configmaps are not followed any more/);
  await never.done;
  t.same([reached.errors, never.errors], [[], []], 'the end is not an error');
});

t.test('objects that a mirror shares with the cache of its process take nothing from the budget', async t => {
  const { client } = await serve(t);
  await client.create(configmaps, withValue('listed', 'x'.repeat(1000)));
  const budget = new MirrorBudget(100);
  const mirror = followed(t, client, { budget });
  await until('the first list', () => mirror.objects.size === 1 || mirror.errors.length > 0);
  await client.create(configmaps, withValue('watched', 'x'.repeat(1000)));
  await until('both are mirrored', () => mirror.objects.size === 2 || mirror.errors.length > 0);
  t.same(mirror.errors, []);
  t.equal(budget.used, 0);
});
