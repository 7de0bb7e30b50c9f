/** A client whose credentials are replaced while mirrors use it. */
import t from 'tap';
import type { Endpoint } from '../../../aggregation/interface.js';
import { remote } from '../../../aggregation/remote/client.js';
import { RenewableClient } from '../../../aggregation/remote/renewable-client.js';
import { configMaps, serviceAccounts } from '../../../api/kubernetes/resources.js';
import { createInformerFactory } from '../../../client/runtime/mirrors/informer.js';
import { silent } from '../../../lib/logging/interface.js';
import { systemClock } from '../../../lib/clock.js';
import { grant, object } from '../fleet.js';
import { runningServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';

t.test('requests use the new credentials, and mirrors go on without a new list', async t => {
  const server = await runningServer(t, { profile: 'kubernetes' });
  const namespace = 'default';
  const endpointOf = async (name: string): Promise<Endpoint> => {
    await server.client.create(serviceAccounts, object('v1', 'ServiceAccount', name, { metadata: { namespace } }));
    await grant(server.client, name, { kind: 'ServiceAccount', name, namespace }, 'cluster-admin');
    const draft = object('authentication.k8s.io/v1', 'TokenRequest', '', { metadata: { namespace }, spec: {} });
    const { status } = await server.client.create(serviceAccounts, draft, { name, subresource: 'token' });
    const { token } = status as { token: string };
    return { server: server.url, ca: server.pki.authority.certificate, token };
  };
  const [first, second] = [await endpointOf('first'), await endpointOf('second')];
  const opened: string[] = [];
  const open = (endpoint: Endpoint) => {
    opened.push(endpoint.token ?? '');
    return remote(endpoint, { userAgent: 'test' });
  };
  const client = new RenewableClient(first, open, 50);
  t.teardown(() => client.close());
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  const deps = { signal: stop.signal, clock: systemClock, log: silent };
  const mirrors = [client, client.holding(() => ({}))].map(each =>
    createInformerFactory({ ...deps, client: each }).informer(configMaps, { namespace }),
  );
  await Promise.all(mirrors.map(({ synced }) => synced));
  const create = (name: string) =>
    client.create(configMaps, object('v1', 'ConfigMap', name, { metadata: { namespace } }));
  await create('before');
  await until('it is mirrored', () => mirrors.every(mirror => mirror.get('default/before')));

  client.renew(second);
  t.strictSame(opened, [first.token, second.token]);
  await server.client.delete(serviceAccounts, { namespace, name: 'first' });
  await create('after');
  await until('it is mirrored, too', () => mirrors.every(mirror => mirror.get('default/after')));
  t.strictSame(
    mirrors.map(({ lists }) => lists.begun),
    [1, 1],
  );
  t.match(await client.mapper.forKind({ group: '', version: 'v1', kind: 'ConfigMap' }), { resource: 'configmaps' });
  t.equal(
    (await client.list(configMaps, { namespace })).items.length,
    (await server.client.list(configMaps, { namespace })).items.length,
  );
});
