import t, { type Test } from 'tap';
import { expired } from '../../../apimachinery/errors/status.js';
import { type FollowOptions, follow } from '../../../client/watch/follow.js';
import type { Client, CachedObject } from '../../../client/interface.js';
import { systemClock } from '../../../lib/clock.js';
import { until } from '../../storage/until.js';
import { configMap, configmaps, serve } from '../../registry/serve.js';
import { breakable } from '../breakable.js';
import { waysToRead } from '../ways-to-read.js';

const withValue = (name: string, v: string) => configMap(name, { data: { v } });
const key = (name: string) => ({ namespace: 'default', name });

/** Config maps as they are followed; pauses last until `again` is called. What is told: `+key value`, `~key old value`, `-key old`. */
function followed(t: Test, client: Client, options: Partial<FollowOptions> = {}) {
  const stopping = new AbortController();
  const told: string[] = [];
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
    onChange: (name, was, is) =>
      told.push(
        !was ? `+${name} ${valueOf(is)}` : is ? `~${name} ${valueOf(was)} ${valueOf(is)}` : `-${name} ${valueOf(was)}`,
      ),
    onError: error => errors.push(error),
    signal: stopping.signal,
    ...options,
  });
  t.teardown(() => stopping.abort());
  return { ...following, told, errors, pauses, again: () => goOn(), stop: () => stopping.abort() };
}

for (const { where, of } of waysToRead) {
  t.test(`${where}: a broken watch goes on where it was`, async t => {
    const { client } = await serve(t);
    const breaking = breakable(of(client));
    const mirror = followed(t, breaking.client);
    await mirror.synced;
    const a = await client.create(configmaps, withValue('a', '1'));
    await until('the first change', () => mirror.told.length === 1);
    const failure = new Error('the connection is gone');
    breaking.fail(failure);
    await client.create(configmaps, withValue('b', '1'));
    await client.delete(configmaps, key('a'));
    breaking.heal();
    await until('a pause', () => mirror.pauses.length === 1);
    t.same(mirror.errors, [failure]);
    mirror.again();
    await until('what was missed', () => mirror.told.length === 3);
    t.same(mirror.told, ['+default/a 1', '+default/b 1', '-default/a 1'], 'nothing missed, nothing twice');
    t.equal(breaking.lists(), 1);
    t.equal(breaking.began[1], a.metadata.resourceVersion);
    t.same([...mirror.objects.keys()], ['default/b']);
  });

  t.test(`${where}: who asks for what is forgotten lists again, and hears the difference`, async t => {
    const { client } = await serve(t);
    for (const name of ['changed', 'gone', 'kept', 'replaced']) await client.create(configmaps, withValue(name, '1'));
    const breaking = breakable(of(client));
    const { told, errors, pauses, again, synced } = followed(t, breaking.client);
    await synced;
    await until('a watch', () => breaking.began.length === 1);
    breaking.fail(expired('too old resource version: 1 (2)'));
    await until('a pause', () => pauses.length === 1);
    t.same(errors, [], 'which is no failure');
    told.length = 0;
    await client.patch(configmaps, key('changed'), { type: 'merge', patch: { data: { v: '2' } } });
    await client.delete(configmaps, key('gone'));
    await client.delete(configmaps, key('replaced'));
    await client.create(configmaps, withValue('replaced', '2'));
    await client.create(configmaps, withValue('new', '1'));
    t.same(told, [], 'nobody listens');
    breaking.heal();
    again();
    await until('the difference', () => told.length === 5);
    const replaced = ['-default/replaced 1', '+default/replaced 2'];
    t.same(
      told.filter(line => line.includes('replaced')),
      replaced,
      'one object went, another came',
    );
    t.equal(told[0], '-default/gone 1', 'first of all what has gone');
    t.same(told.slice(1).sort(), [...replaced, '+default/new 1', '~default/changed 1 2'].sort());
    t.equal(breaking.lists(), 2);
    await client.delete(configmaps, key('new'));
    await until('the next change', () => told.length === 6);
    t.equal(told[5], '-default/new 1', 'and goes on from there');
  });
}

t.test('a server that ends every watch at once is asked again later and later', async t => {
  const { client } = await serve(t);
  const { cached: _held, ...rest } = client;
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
  t.same(errors, [], 'which is no failure');
});

t.test('what is not served any more does not stand any more', async t => {
  const { client, catalogue } = await serve(t);
  await client.create(configmaps, withValue('a', '1'));
  const breaking = breakable(client);
  const { told, pauses, again, synced } = followed(t, breaking.client);
  await synced;
  await until('a watch', () => breaking.began.length === 1);
  catalogue.remove('', 'configmaps');
  breaking.fail(expired('too old resource version: 1 (2)'));
  await until('a pause', () => pauses.length === 1);
  t.same(told, ['+default/a 1'], 'a gap says nothing about what stands');
  again();
  await until('an answer', () => pauses.length === 2);
  t.same(told, ['+default/a 1', '-default/a 1']);
});

t.test('the end', async t => {
  const { client } = await serve(t);
  const reached = followed(t, client);
  await reached.synced;
  reached.stop();
  await reached.done;
  const signal = AbortSignal.abort();
  const never = followed(t, client, { signal });
  await t.rejects(never.synced, /configmaps are not followed any more/);
  await never.done;
  t.same([reached.errors, never.errors], [[], []], 'which is no failure');
});
