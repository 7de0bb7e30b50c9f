/** Watches over all members see every change once when this server or a member restarts. */
import path from 'node:path';
import t, { type Test } from 'tap';
import { resources } from '../../../api/karmada/well-known.js';
import { aggregation } from '../../../cli/parts/aggregation.js';
import type { RemoteClient } from '../../../aggregation/interface.js';
import { runningServer, type TestServer } from '../../apiserver/running.js';
import { until } from '../../authn/serve.js';
import { clientBelow, controlPlane, core, joinMember, memberServer, object, setReady } from '../fleet.js';
import { ResumingWatcher } from './resuming-watcher.js';

const root = '/apis/search.karmada.io/v1alpha1/proxying/karmada/proxy';
const configMaps = core('configmaps');
const namespace = 'default';
const mine = { labelSelector: 'mine=yes' };

const configMap = (name: string) =>
  object('v1', 'ConfigMap', name, { metadata: { namespace, labels: { mine: 'yes' } }, data: { at: '0' } });

const change = ({ client }: TestServer, name: string, at: string): Promise<unknown> =>
  client.patch(configMaps, { namespace, name }, { type: 'merge', patch: { data: { at } } });

/** Starts a server again with its folder, its keys and its port. */
async function restart(t: Test, server: TestServer, config: Parameters<typeof runningServer>[1]): Promise<TestServer> {
  await server.stop();
  const { directory, url } = server;
  return runningServer(t, {
    ...config,
    listen: { host: '127.0.0.1', port: Number(new URL(url).port) },
    pkiDirectory: path.join(directory, 'pki'),
    storage: { type: 'embedded', directory: path.join(directory, 'storage') },
  });
}

interface Setting {
  readonly control: TestServer;
  readonly members: readonly [TestServer, TestServer];
  readonly client: RemoteClient;
  readonly version: string;
}

async function start(t: Test): Promise<Setting> {
  const [control, ...members] = await Promise.all([controlPlane(t), memberServer(t), memberServer(t)]);
  for (const [i, member] of members.entries()) {
    await joinMember(control, `member${i + 1}`, member);
    await setReady(control, `member${i + 1}`, 'True');
    await member.client.create(configMaps, configMap('a'));
    await member.client.create(configMaps, configMap('b'));
  }
  const spec = { targetCluster: {}, resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }] };
  const registry = object('search.karmada.io/v1alpha1', 'ResourceRegistry', 'all', { spec });
  await control.client.create(resources.resourceRegistries, registry);
  const client = clientBelow(t, control, root);
  await until(async () => (await client.list(configMaps, { ...mine, resourceVersion: '0' })).items.length === 4);
  const { metadata } = await client.list(configMaps, mine);
  return { control, members, client, version: metadata.resourceVersion ?? '' };
}

t.test('a watch that resumes after a restart of this server sees what changed meanwhile, once', async t => {
  const { control, members, version } = await start(t);
  const [first, second] = members;
  await control.stop();
  await change(first, 'a', '1');
  await first.client.delete(configMaps, { namespace, name: 'b' });
  await change(second, 'b', '1');
  const again = await restart(t, control, { profile: 'karmada', parts: [aggregation()] });
  const client = clientBelow(t, again, root);
  const watcher = new ResumingWatcher(version);
  const running = watcher.run(() => client);
  await until(() => watcher.seen.length >= 3);
  await change(first, 'a', '2');
  await change(second, 'a', '2');
  await until(() => watcher.seen.length >= 5);
  await change(first, 'a', '3');
  await until(() => watcher.of('member1').at(-1)?.endsWith('a 3') === true);
  watcher.stop();
  await running;
  t.same(watcher.of('member1'), [
    'member1 MODIFIED a 1',
    'member1 DELETED b 0',
    'member1 MODIFIED a 2',
    'member1 MODIFIED a 3',
  ]);
  t.same(watcher.of('member2'), ['member2 MODIFIED b 1', 'member2 MODIFIED a 2']);
});

t.test('a watch goes on when a member restarts or is not ready for a while', async t => {
  const { control, members, client, version } = await start(t);
  const [first, second] = members;
  const watcher = new ResumingWatcher(version);
  const running = watcher.run(() => client);
  await change(first, 'a', '1');
  await until(() => watcher.of('member1').length === 1);
  const back = await restart(t, first, { profile: 'kubernetes' });
  await change(second, 'a', '1');
  await change(back, 'a', '2');
  await until(() => watcher.of('member1').length >= 2 && watcher.of('member2').length >= 1);
  await setReady(control, 'member1', 'False');
  await change(back, 'a', '3');
  await change(second, 'a', '2');
  await until(() => watcher.of('member2').length >= 2);
  await setReady(control, 'member1', 'True');
  await change(back, 'a', '4');
  await until(() => watcher.of('member1').at(-1)?.endsWith('a 4') === true);
  watcher.stop();
  await running;
  t.same(
    watcher.of('member1'),
    ['1', '2', '3', '4'].map(at => `member1 MODIFIED a ${at}`),
  );
  t.same(
    watcher.of('member2'),
    ['1', '2'].map(at => `member2 MODIFIED a ${at}`),
  );
});
