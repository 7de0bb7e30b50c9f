/** Members in pull mode without an address, which the control plane reaches through the reverse tunnels of their agents. */
import { spawn } from 'node:child_process';
import net from 'node:net';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { resources } from '../../../api/karmada/well-known.js';
import { kubectlFor, needsKubectl } from '../../e2e/kubectl.js';
import { testMember, writeKubeconfig } from '../../simulator/kubelet/member-kubectl.js';
import { until } from '../../storage/until.js';
import { clientBelow, controlPlane, core, joinPulled, memberServer, object } from '../fleet.js';
import { endpointOf, tunnelAgent, tunnelIsOpen } from './fixture.js';

const configMaps = core('configmaps');
const namespace = 'default';
const proxyOf = (cluster: string): string => `/apis/cluster.karmada.io/v1alpha1/clusters/${cluster}/proxy`;
const configMap = (name: string, size = 0) =>
  object('v1', 'ConfigMap', name, { metadata: { namespace }, data: { text: 'x'.repeat(size) } });

/** Makes kubectl use SPDY/3.1. */
const spdy = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' };

/** Sends text through a port-forward of kubectl, and returns what comes back. */
async function echoed(
  t: Test,
  kubeconfig: string,
  env: Readonly<Record<string, string>>,
  sent: string,
): Promise<string> {
  const child = spawn('kubectl', ['port-forward', 'pod/p', ':80', '--address', '127.0.0.1'], {
    env: { ...process.env, KUBECONFIG: kubeconfig, ...env },
  });
  t.teardown(() => child.kill());
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  await until('port-forward listens', () => /Forwarding from 127.0.0.1:\d+/.test(out));
  const port = Number(/Forwarding from 127.0.0.1:(\d+)/.exec(out)?.[1]);
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const answer = text(socket);
  socket.end(sent);
  return answer;
}

t.test('kubectl works with a member through its tunnel', needsKubectl, async t => {
  const member = await testMember(t);
  await member.runPod('p');
  const control = await controlPlane(t);
  await joinPulled(control, 'm', member);
  const { directory } = control;
  const below = await writeKubeconfig(directory, control, control.url + proxyOf('m'));
  const run = kubectlFor(t, { kubeconfig: below, directory });
  const client = clientBelow(t, control, proxyOf('m'));
  await t.rejects(client.list(core('pods')), { message: 'API endpoint of cluster m should not be empty' });
  await tunnelAgent(t, control, 'm', { member: endpointOf(member) });
  for (const env of [{}, spdy]) {
    const kubectl = (args: string, input?: string) => run(args, { env, ...(input !== undefined && { input }) });
    t.match(await kubectl('get pods'), { code: 0, out: /^p .*Running/m });
    t.match(await kubectl('logs p'), { code: 0, out: 'main started\n' });
    t.match(await kubectl('exec p -- echo hi'), { code: 0, out: 'hi\n', err: '' });
    t.match(await kubectl("exec -i p -- sh -c 'cat | wc -c'", 'x'.repeat(2_000_000)), { code: 0, out: '2000000\n' });
    t.equal(await echoed(t, below, env, 'x'.repeat(1_000_000)), 'x'.repeat(1_000_000));
  }
});

t.test('lists and watches pass through, and end clearly when the tunnel is cut', async t => {
  const [member, control] = await Promise.all([memberServer(t), controlPlane(t)]);
  await joinPulled(control, 'm', member);
  const { relay } = await tunnelAgent(t, control, 'm', { member: endpointOf(member) });
  const client = clientBelow(t, control, proxyOf('m'));
  for (let i = 0; i < 40; i++) await member.client.create(configMaps, configMap(`c${i}`, 100_000));
  const { items, metadata } = await client.list(configMaps, { namespace });
  t.equal(items.filter(({ metadata: { name } }) => name?.startsWith('c')).length, 40, 'a list of megabytes arrives');
  const seen: string[] = [];
  const watching = (async () => {
    const query = { namespace, resourceVersion: metadata.resourceVersion ?? '' };
    for await (const { object } of client.watch(configMaps, query, new AbortController().signal))
      seen.push(object.metadata.name ?? '');
  })();
  await member.client.create(configMaps, configMap('seen'));
  await until('the event has come', () => seen.includes('seen'));
  relay.close();
  await watching.catch(() => undefined);
  t.pass('the watch has ended');
  await tunnelIsOpen(control, 'm', false);
  await t.rejects(client.list(configMaps, { namespace }), { message: /the reverse tunnel of cluster m is not open/ });
  relay.open();
  await tunnelIsOpen(control, 'm');
  t.ok((await client.get(configMaps, { namespace, name: 'seen' })).metadata.uid, 'the next request works');
  const text = await control.metrics.metrics();
  t.match(text, /^flagship_reverse_tunnel_opened_total\{cluster="m"\} 2$/m);
});

t.test('each of two members is reached by its own tunnel, and not after its Cluster is removed', async t => {
  const [first, second, control] = await Promise.all([memberServer(t), memberServer(t), controlPlane(t)]);
  for (const [name, member] of [
    ['one', first],
    ['two', second],
  ] as const) {
    await joinPulled(control, name, member);
    await member.client.create(configMaps, configMap(name));
    await tunnelAgent(t, control, name, { member: endpointOf(member) });
  }
  for (const name of ['one', 'two']) {
    const { items } = await clientBelow(t, control, proxyOf(name)).list(configMaps, { namespace });
    t.ok(items.some(({ metadata }) => metadata.name === name));
  }
  await control.client.delete(resources.clusters, { name: 'one' });
  await until('the tunnel has ended', async () => !(await control.metrics.metrics()).includes('_open{cluster="one"}'));
  await t.rejects(clientBelow(t, control, proxyOf('one')).list(configMaps), { code: 404 });
  const { items } = await clientBelow(t, control, proxyOf('two')).list(configMaps, { namespace });
  t.ok(items.length > 0);
});
