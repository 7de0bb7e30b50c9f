/** Members in their own thread: they are reached over HTTPS, stopped by a message, and report what keeps them from starting. */
import fs from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { once } from 'node:events';
import t from 'tap';
import { remote } from '../../aggregation/remote/client.js';
import { silent } from '../../server/logger.js';
import { type FleetMember, startFleet } from '../../simulator/fleet.js';
import { configMaps, namespaces, nodes } from '../../api/kubernetes/resources.js';
import { find } from '../../client/find.js';
import { temporaryFolder } from '../apiserver/running.js';
import { until } from '../storage/until.js';

const host = '127.0.0.1';

const clientOf = ({ url, caBundle, admin }: FleetMember) =>
  remote(
    { server: url, ca: caBundle, clientCertificate: admin.certificate, clientKey: admin.key },
    { userAgent: 'test' },
  );

async function nodesOf(member: FleetMember): Promise<string[]> {
  const client = clientOf(member);
  try {
    return (await client.list(nodes)).items.map(({ metadata }) => metadata.name ?? '');
  } finally {
    await client.close();
  }
}

t.test('two members serve separately, and stop together', async t => {
  const directory = await temporaryFolder(t);
  const fleet = await startFleet({ names: ['b', 'a'], directory, host, firstPort: 0 }, silent);
  t.strictSame(
    fleet.members.map(({ name }) => name),
    ['b', 'a'],
    'in the order in which they were requested',
  );
  for (const member of fleet.members)
    t.strictSame(
      (await nodesOf(member)).sort(),
      [1, 2, 3].map(i => `${member.name}-node-${i}`),
    );
  await fleet.stop();
  for (const member of fleet.members) await t.rejects(nodesOf(member), { code: 'ECONNREFUSED' });
});

t.test('a light member has no nodes, and removes namespaces', async t => {
  const directory = await temporaryFolder(t);
  const fleet = await startFleet({ names: ['a'], directory, host, firstPort: 0, light: true }, silent);
  t.teardown(() => fleet.stop());
  const [member] = fleet.members;
  if (!member) throw new Error('there is no member');
  t.strictSame(await nodesOf(member), []);
  const client = clientOf(member);
  t.teardown(() => client.close());
  const name = 'short-lived';
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await client.create(configMaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'inside', namespace: name },
  });
  await client.delete(namespaces, { name });
  await until('the namespace is gone', async () => !(await find(client, namespaces, { name })));
});

t.test('a port that is in use is skipped', async t => {
  const taken = net.createServer().listen(0, host);
  await once(taken, 'listening');
  t.teardown(() => taken.close());
  const { port } = taken.address() as net.AddressInfo;
  const directory = await temporaryFolder(t);
  const fleet = await startFleet({ names: ['a'], directory, host, firstPort: port }, silent);
  t.teardown(() => fleet.stop());
  const [member] = fleet.members;
  t.not(new URL(member?.url ?? '').port, String(port));
  t.equal(member && (await nodesOf(member)).length, 3);
});

t.test('an error of one member fails the start of all', async t => {
  const directory = await temporaryFolder(t);
  await fs.writeFile(path.join(directory, 'b'), 'no folder');
  await t.rejects(startFleet({ names: ['a', 'b'], directory, host, firstPort: 0 }, silent), {
    message: /^a member cannot start: /,
    code: /ENOTDIR|EEXIST/,
  });
});
