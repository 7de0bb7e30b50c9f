/** kubectl logs, attach and debug on a simulated member. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { WebSocket } from 'ws';
import { kubectlFor, needsKubectl } from '../../e2e/kubectl.js';
import { httpClient } from '../../apiserver/http-client.js';
import { until } from '../../storage/until.js';
import { nodes, pods } from '../../../api/kubernetes/resources.js';
import type { Node } from '../../../openapi/gen/core-v1.js';
import { testMember } from './member-kubectl.js';

t.test('logs', needsKubectl, async t => {
  const member = await testMember(t);
  const ask = httpClient(t, member);
  const kubectl = kubectlFor(t, member);
  await member.runPod('ticks', {}, { 'simulator.flagship.io/log-every-seconds': '0.05' });
  const log = '/api/v1/namespaces/default/pods/ticks/log';
  await until('six lines', async () => (await ask(`GET ${log}`)).text.includes('line 5\n'));
  const all = await ask(`GET ${log}`);
  t.equal(all.headers['content-type'], 'text/plain');
  t.match(all.text, /^main started\nline 1\nline 2\n/);
  t.match(
    (await kubectl('logs ticks --tail 2 --timestamps')).out,
    /^(?:\d{4}-\d\d-\d\dT[\d:]+\.\d{9}Z line \d+\n){2}$/,
  );
  t.equal((await ask(`GET ${log}?limitBytes=6`)).text, 'main s');
  t.equal((await ask(`GET ${log}?tailLines=0`)).text, '');
  t.equal((await ask(`GET ${log}?sinceTime=2099-01-01T00:00:00Z`)).text, '');
  t.match(await kubectl('logs ticks --previous'), {
    code: 1,
    err: /previous terminated container "main" in pod "ticks" not found/,
  });

  const following = kubectl.start('logs -f ticks --tail=1');
  const lines: string[] = [];
  for await (const line of following.lines) {
    lines.push(line);
    if (lines.length === 4) await member.client.delete(pods, { namespace: 'default', name: 'ticks' });
  }
  t.match(lines.slice(0, 2), [/^line \d+$/, /^line \d+$/]);
  t.equal(lines.at(-1), 'main ended with exit code 137', 'the log ends with the Pod');

  await member.runPod(
    'short',
    {},
    { 'simulator.flagship.io/run-seconds': '0.1', 'simulator.flagship.io/exit-code': '3' },
  );
  await until('a restart', async () => (await kubectl('logs short --previous')).code === 0);
  t.equal((await kubectl('logs short --previous')).out, 'main started\nmain ended with exit code 3\n');
});

t.test('attach and debug', needsKubectl, async t => {
  const member = await testMember(t);
  const kubectl = kubectlFor(t, member);
  await member.runPod('p');
  await kubectl('attach -i p', { input: 'written to the container\n' });
  t.equal((await kubectl('logs p')).out, 'main started\nwritten to the container\n');
  const debugging = await kubectl('debug -i p --image=busybox -c tools --profile=general', {
    input: 'hostname\nexit 0\n',
  });
  t.match(debugging, { code: 0, out: /^p$/m });
  t.match((await kubectl('logs p -c tools')).out, 'tools started\n');
  t.match((await kubectl('run q --image=b -i --restart=Never', { input: 'echo from q\n' })).out, /^from q$/m);
});

t.test('a terminal echoes, has a size, and can be interrupted', needsKubectl, async t => {
  const member = await testMember(t);
  await member.runPod('p');
  const python = [
    'import os, pty, sys, time',
    'pid, fd = pty.fork()',
    "if pid == 0: os.execvp('kubectl', ['kubectl', 'exec', '-it', 'p', '--', 'sh'])",
    "def read(end, out=b''):",
    '    while end not in out:',
    '        out += os.read(fd, 4096)',
    '    sys.stdout.buffer.write(out)',
    "read(b'# ')",
    "os.write(fd, b'echo a\\x7fbc\\r'); read(b'bc\\r\\n/ # ')",
    "os.write(fd, b'stty size\\r'); read(b'# ')",
    "os.write(fd, b'sleep 1000\\r'); read(b'1000\\r\\n')",
    "os.write(fd, b'\\x03')",
    'print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))',
  ].join('\n');
  const child = spawn('python3', ['-c', python], { env: { ...process.env, KUBECONFIG: member.kubeconfig } });
  t.teardown(() => child.kill());
  const out = text(child.stdout);
  const [code] = (await once(child, 'exit')) as [number];
  t.equal(code, 0);
  t.match(await out, /echo a\x08 \x08bc\r\nbc\r\n\/ # stty size\r\n\d+ \d+\r\n/);
  t.match(await out, /\n130\n$/, 'the exit code after Ctrl-C');
});

t.test('the proxies to nodes, Pods and Services', async t => {
  const member = await testMember(t);
  const ask = httpClient(t, member);
  const pod = await member.runPod('p', { containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 8080 }] }] });
  const core = '/api/v1/namespaces/default';
  t.match(await ask('GET /api/v1/nodes/m-node-1/proxy/healthz'), { status: 200, text: 'ok' });
  const { items } = (await ask(`GET /api/v1/nodes/${pod.spec?.nodeName}/proxy/pods`)).json;
  t.match(items, [{ metadata: { name: 'p' } }]);
  const ip = pod.status?.podIP;
  t.match(await ask(`POST ${core}/pods/p/proxy/a/b?c=d`), { status: 200, text: `POST /a/b?c=d at ${ip}:8080\n` });
  t.match(await ask(`GET ${core}/pods/p:81/proxy/`), { status: 200, text: `GET / at ${ip}:81\n` });
  t.match(await ask(`GET ${core}/pods/p/proxy?x=1`), {
    status: 301,
    headers: { location: `${core}/pods/p/proxy/?x=1` },
  });
});

t.test('kubelets answer only clients of their cluster', async t => {
  const member = await testMember(t);
  const { status } = (await member.client.get(nodes, { name: 'm-node-1' })) as Node;
  const port = status?.daemonEndpoints?.kubeletEndpoint?.Port;
  const { certificate: cert, key } = member.pki.admin;
  const ca = member.pki.authority.certificate;
  const statusOf = async (path: string, identity: object): Promise<number | undefined> => {
    const request = https.request({
      host: '127.0.0.1',
      port,
      path,
      ca,
      servername: 'm-node-1',
      agent: false,
      ...identity,
    });
    const [response] = (await once(request.end(), 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  const log = '/containerLogs/default/none/main';
  for (const path of ['/healthz', '/pods', log]) t.equal(await statusOf(path, {}), 401, path);
  const rows = {
    '/healthz': 200,
    '/pods': 200,
    [log]: 404,
    '/other': 404,
    [`${log}?tailLines=x`]: 400,
    '/%zz/a/b': 500,
  };
  for (const [path, code] of Object.entries(rows)) t.equal(await statusOf(path, { cert, key }), code, path);
});

t.test('a client with an older protocol of WebSockets is passed through to the kubelet', async t => {
  const member = await testMember(t);
  await member.runPod('p');
  const { pki, port } = member;
  const path = '/api/v1/namespaces/default/pods/p/exec?command=sh&command=-c&command=echo+out%3Bexit+6';
  const identity = { ca: pki.authority.certificate, cert: pki.admin.certificate, key: pki.admin.key };
  const socket = new WebSocket(`wss://127.0.0.1:${port}${path}`, ['v4.channel.k8s.io'], identity);
  const received: Record<number, string> = {};
  socket.on('message', (data: Buffer) => {
    const channel = data[0] ?? 0;
    received[channel] = (received[channel] ?? '') + data.subarray(1).toString();
  });
  await once(socket, 'close');
  t.equal(socket.protocol, 'v4.channel.k8s.io');
  t.equal(received[1], 'out\n');
  t.match(JSON.parse(received[3] ?? '{}'), { status: 'Failure', details: { causes: [{ message: '6' }] } });
});
