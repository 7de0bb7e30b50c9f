/** Clients of search's proxying may go on at another process of the control plane: what they know is of no process. */
import path from 'node:path';
import t from 'tap';
import { resources } from '../../../api/karmada/well-known.js';
import type { RemoteClient } from '../../../aggregation/interface.js';
import { remote } from '../../../aggregation/remote/client.js';
import { kubeconfigEndpoint } from '../../../aggregation/remote/kubeconfig.js';
import { isConflict } from '../../../apimachinery/errors/status.js';
import { until } from '../../authn/serve.js';
import { replicas } from '../../cli/replicas.js';
import { withoutEtcd } from '../../storage/etcd-server.js';
import type { TestServer } from '../../apiserver/running.js';
import { core, joinMember, memberServer, object, setReady } from '../fleet.js';
import { ResumingWatcher } from './resuming-watcher.js';

const configMaps = core('configmaps');
const namespace = 'default';
const mine = { labelSelector: 'mine=yes' };
const memberNames = ['member1', 'member2'];

const configMap = (name: string) =>
  object('v1', 'ConfigMap', name, { metadata: { namespace, labels: { mine: 'yes' } }, data: { at: '0' } });

/** Changes an object of each member, one change after the other. */
class Changes {
  readonly #members: readonly TestServer[];
  count = 0;

  constructor(members: readonly TestServer[]) {
    this.#members = members;
  }

  async make(times: number): Promise<void> {
    for (const end = this.count + times; this.count < end;) {
      const data = { at: String(++this.count) };
      for (const { client } of this.#members)
        await client.patch(configMaps, { namespace, name: 'a' }, { type: 'merge', patch: { data } });
    }
  }

  /** The changes of a member as a watch shows them. */
  of(member: string): string[] {
    return Array.from({ length: this.count }, (_, i) => `${member} MODIFIED a ${i + 1}`);
  }
}

t.test('a client goes on at any replica', { skip: withoutEtcd }, async t => {
  const [{ start, folder }, ...members] = await Promise.all([
    replicas(t, '--controllers=-*'),
    memberServer(t),
    memberServer(t),
  ]);
  const clientOf = (replica: string, root: string): RemoteClient => {
    const endpoint = kubeconfigEndpoint(path.join(folder, replica, 'kubeconfig'));
    const client = remote({ ...endpoint, server: endpoint.server + root }, { userAgent: 'test/1.0' });
    t.teardown(() => client.close());
    return client;
  };
  const searching = (replica: string): RemoteClient =>
    clientOf(replica, '/apis/search.karmada.io/v1alpha1/proxying/karmada/proxy');
  const a = await start('a');
  const control = { client: clientOf('a', '') };
  for (const [i, member] of members.entries()) {
    const name = memberNames[i] ?? '';
    await joinMember(control, name, member);
    await setReady(control, name, 'True');
    for (const each of ['a', 'b', 'c']) await member.client.create(configMaps, configMap(each));
  }
  const spec = { targetCluster: {}, resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }] };
  const registry = object('search.karmada.io/v1alpha1', 'ResourceRegistry', 'all', { spec });
  await control.client.create(resources.resourceRegistries, registry);
  const b = await start('b');
  let current = searching('a');
  const knowsAll = async (client: RemoteClient): Promise<boolean> =>
    (await client.list(configMaps, { ...mine, resourceVersion: '0' })).items.length === 6;
  for (const client of [current, searching('b')]) await until(() => knowsAll(client));

  await t.test('pages', async t => {
    const names: string[] = [];
    const clients = [current, searching('b')];
    let token: string | undefined;
    for (let page = 0; page === 0 || token !== undefined; page++) {
      const query = { ...mine, limit: 1, ...(token !== undefined && { continue: token }) };
      const client = clients[page % 2] as RemoteClient;
      const { items, metadata } = await client.list(configMaps, query);
      names.push(...items.map(each => each.metadata.name ?? ''));
      token = metadata.continue;
    }
    t.same(names, ['a', 'b', 'c', 'a', 'b', 'c']);
  });

  await t.test('updates', async t => {
    const [first] = members;
    await first?.client.create(configMaps, configMap('only'));
    await until(() =>
      searching('b')
        .get(configMaps, { namespace, name: 'only' })
        .then(
          () => true,
          () => false,
        ),
    );
    const read = await current.get(configMaps, { namespace, name: 'only' });
    const written = await searching('b').update(configMaps, { ...read, data: { at: 'b' } });
    t.same(written['data'], { at: 'b' });
    const outdated = await current.update(configMaps, { ...read, data: { at: 'a' } }).catch((error: unknown) => error);
    t.ok(isConflict(outdated), 'a version that is outdated is refused');
    await first?.client.delete(configMaps, { namespace, name: 'only' });
  });

  await t.test('watches', async t => {
    const { metadata } = await current.list(configMaps, mine);
    const watcher = new ResumingWatcher(metadata.resourceVersion ?? '');
    const running = watcher.run(() => current);
    const changes = new Changes(members);
    const seesAll = (): boolean => memberNames.every(name => watcher.of(name).length >= changes.count);
    await changes.make(10);
    await until(seesAll);
    // The client reads some of these changes from the first replica, and the others from the second one.
    const more = changes.make(20);
    await until(() => watcher.of('member1').length >= 15);
    current = searching('b');
    await a.end('SIGKILL');
    await more;
    await until(seesAll);
    // A replica that starts now has no history: the members have what it missed.
    await b.end('SIGKILL');
    await changes.make(10);
    const c = await start('c');
    current = searching('c');
    await changes.make(10);
    await until(seesAll);
    watcher.stop();
    await running;
    for (const name of memberNames) t.same(watcher.of(name), changes.of(name));
    t.equal(c.child.exitCode, null);
  });
});
