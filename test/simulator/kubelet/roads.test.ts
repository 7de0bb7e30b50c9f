/** kubectl exec, cp and port-forward on a simulated member, directly and through the proxy of a control plane. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { kubectlFor, needsKubectl } from '../../e2e/kubectl.js';
import { clientBelow, controlPlane, joinMember, object, setReady } from '../../aggregation/fleet.js';
import { resources } from '../../../api/karmada/well-known.js';
import { pods } from '../../../api/kubernetes/resources.js';
import type { TestServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { type TestMember, testMember, writeKubeconfig } from './member-kubectl.js';

/** Makes kubectl use SPDY/3.1. */
const spdy = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' };

interface Road {
  readonly name: string;
  readonly kubeconfig: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Starts port-forward, and resolves with its local port. */
async function forwarded(t: Test, { kubeconfig, env }: Road, target: string): Promise<number> {
  const child = spawn('kubectl', ['port-forward', target, ':80', '--address', '127.0.0.1', '-v=7'], {
    env: { ...process.env, KUBECONFIG: kubeconfig, ...env },
  });
  t.teardown(() => child.kill());
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (out += chunk.toString()));
  await until('port-forward listens', () => /Forwarding from 127.0.0.1:\d+/.test(out));
  const method = env === spdy ? 'POST' : 'GET';
  t.match(out, new RegExp(`${method} .*/portforward`), 'the protocol is that of the test, and no fallback');
  return Number(/Forwarding from 127.0.0.1:(\d+)/.exec(out)?.[1]);
}

async function echoed(port: number, sent: string): Promise<string> {
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const answer = text(socket);
  socket.end(sent);
  return answer;
}

/** Lets the search of a control plane cache the Pods of its members, and waits for one. */
async function cachePods(t: Test, control: TestServer, path: string, pod: string): Promise<void> {
  await setReady(control, 'm', 'True');
  const spec = {
    targetCluster: { clusterNames: ['m'] },
    resourceSelectors: [{ apiVersion: 'v1', kind: 'Pod', namespace: 'default' }],
  };
  const registry = object('search.karmada.io/v1alpha1', 'ResourceRegistry', 'pods', { spec });
  await control.client.create(resources.resourceRegistries, registry);
  const client = clientBelow(t, control, path);
  const isCached = (): Promise<boolean> =>
    client.get(pods, { namespace: 'default', name: pod }).then(
      () => true,
      () => false,
    );
  await until('the Pod is cached', isCached);
}

/** The roads to a member: by itself, through the proxy of a control plane, and through its search; over WebSocket and SPDY. */
async function roadsTo(t: Test, member: TestMember): Promise<Road[]> {
  const control = await controlPlane(t);
  await joinMember(control, 'm', member);
  const searchPath = '/apis/search.karmada.io/v1alpha1/proxying/karmada/proxy';
  await cachePods(t, control, searchPath, 'p');
  const { directory } = control;
  const below = `${control.url}/apis/cluster.karmada.io/v1alpha1/clusters/m/proxy`;
  const proxied = await writeKubeconfig(directory, control, below);
  return [
    { name: 'directly', kubeconfig: member.kubeconfig, env: {} },
    { name: 'directly over SPDY', kubeconfig: member.kubeconfig, env: spdy },
    { name: 'through the proxy', kubeconfig: proxied, env: {} },
    { name: 'through the proxy over SPDY', kubeconfig: proxied, env: spdy },
    {
      name: 'through search',
      kubeconfig: await writeKubeconfig(directory, control, control.url + searchPath),
      env: {},
    },
  ];
}

t.test('kubectl works with the containers of a member', needsKubectl, async t => {
  const member = await testMember(t);
  await member.runPod('p', { containers: [{ name: 'main', image: 'b', env: [{ name: 'COLOR', value: 'blue' }] }] });
  for (const { name, kubeconfig, env } of await roadsTo(t, member))
    await t.test(name, async t => {
      const run = kubectlFor(t, { kubeconfig, directory: member.directory });
      const kubectl = (args: string, input?: string) => run(args, { env, ...(input !== undefined && { input }) });

      t.match(await kubectl('logs p'), { code: 0, out: 'main started\n' });
      t.match(await kubectl('exec p -- echo hi'), { code: 0, out: 'hi\n', err: '' });
      t.match((await kubectl('exec p -- env')).out, /^COLOR=blue$/m);
      const failed = await kubectl("exec p -- sh -c 'echo out; echo err >&2; exit 7'");
      t.match(failed, { code: 7, out: 'out\n', err: /^err\n/ });
      t.match(await kubectl('exec -i p -- cat', 'some input\n'), { code: 0, out: 'some input\n' });
      t.match(await kubectl('exec p -- nothing'), { code: 1, err: /executable file not found/ });
      t.match(await kubectl("exec -i p -- sh -c 'cat | wc -c'", 'x'.repeat(500_000)), { code: 0, out: '500000\n' });
      t.match(await kubectl("exec p -- sh -c 'yes | head -n 3'"), { code: 0, out: 'y\ny\ny\n' });

      const local = path.join(member.directory, `file-${kubeconfig.length}`);
      await fs.writeFile(local, Buffer.alloc(700_000, 'flagship'));
      t.match(await kubectl(`cp ${local} p:/tmp/copied`), { code: 0 });
      t.match(await kubectl(`cp p:/tmp/copied ${local}.back`), { code: 0 });
      t.ok((await fs.readFile(local)).equals(await fs.readFile(`${local}.back`)), 'the copy is the file');

      const port = await forwarded(t, { name, kubeconfig, env }, 'pod/p');
      t.equal(await echoed(port, 'x'.repeat(400_000)), 'x'.repeat(400_000));
      t.same(await Promise.all([echoed(port, 'a'), echoed(port, 'b')]), ['a', 'b'], 'connections at once');
    });
});

t.test('a member that is cut off ends commands, and works again afterwards', needsKubectl, async t => {
  const member = await testMember(t);
  await member.runPod('p');
  const control = await controlPlane(t);
  await joinMember(control, 'm', member);
  const below = `${control.url}/apis/cluster.karmada.io/v1alpha1/clusters/m/proxy`;
  const kubeconfig = await writeKubeconfig(control.directory, control, below);
  const kubectl = kubectlFor(t, { kubeconfig, directory: control.directory });
  const child = spawn('kubectl', ['exec', 'p', '--', 'sh', '-c', 'echo begun; sleep 1000'], {
    env: { ...process.env, KUBECONFIG: kubeconfig },
  });
  t.teardown(() => child.kill());
  const ended = once(child, 'close') as Promise<[number]>;
  await once(child.stdout, 'data');
  member.pause();
  t.not((await ended)[0], 0, 'kubectl reports a failure');
  t.match(await kubectl('exec p -- true'), { code: 1 });
  await member.resume();
  t.match(await kubectl('exec p -- echo again'), { code: 0, out: 'again\n' });
});
