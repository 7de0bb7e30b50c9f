import t from 'tap';
import { remote } from '../../../aggregation/remote/client.js';
import type { RemoteClient } from '../../../aggregation/interface.js';
import type { TestServer } from '../../apiserver/running.js';
import { controlPlane, core, joinMember, memberServer, object } from '../fleet.js';

let control: TestServer;
let member: TestServer;
/** The member through the control plane, as its administrator. */
let client: RemoteClient;

const proxyPath = (name: string): string => `/apis/cluster.karmada.io/v1alpha1/clusters/${name}/proxy`;

t.before(async () => {
  [control, member] = await Promise.all([controlPlane(t), memberServer(t)]);
  await joinMember(control, 'member1', member);
  const { authority, admin } = control.pki;
  client = remote(
    {
      server: control.url + proxyPath('member1'),
      ca: authority.certificate,
      clientCertificate: admin.certificate,
      clientKey: admin.key,
    },
    { userAgent: 'test/1.0' },
  );
  t.teardown(() => client.close());
});

const key = { namespace: 'default', name: 'a' };

t.test('objects of the member are created, read, changed and deleted', async t => {
  const configMaps = core('configmaps');
  const made = object('v1', 'ConfigMap', 'a', { metadata: { namespace: 'default' }, data: { x: '1' } });
  await client.create(configMaps, made);
  t.same((await member.client.get(configMaps, key))['data'], { x: '1' });
  await client.patch(configMaps, key, { type: 'merge', patch: { data: { y: '2' } } });
  t.same((await client.get(configMaps, key))['data'], { x: '1', y: '2' });
  t.match((await client.list(configMaps, { namespace: 'default' })).items, [{ metadata: { name: 'a' } }]);
  await client.delete(configMaps, key);
  await t.rejects(client.get(configMaps, key), { code: 404, message: 'configmaps "a" not found' });
});
