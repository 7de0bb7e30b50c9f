/** Methods of connect subresources. */
import { once } from 'node:events';
import t from 'tap';
import { WebSocket } from 'ws';
import type { ConnectHandler } from '../../../apiserver/interface.js';
import { serviceUnavailable } from '../../../apimachinery/errors/status.js';
import { httpClient } from '../http-client.js';
import { runningServer } from '../running.js';

const echo: ConnectHandler = ({ exchange, rest }) => {
  exchange.respond(200, { method: exchange.method, rest }, undefined);
  return Promise.resolve();
};

t.test('proxies accept every method; other connect subresources have their own', async t => {
  const connects = { 'clusters.cluster.karmada.io/proxy': echo, 'pods/exec': echo, 'services/proxy': echo };
  const ask = httpClient(t, await runningServer(t, { connects }));
  const cluster = '/apis/cluster.karmada.io/v1alpha1/clusters/c';
  const service = '/api/v1/namespaces/default/services/s';
  for (const path of [`${cluster}/proxy/a/b`, `${service}/proxy/a/b`])
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, headers } = await ask(`${method} ${path}`);
      t.match({ status, ...headers }, { status: 200, method, rest: '/a/b' }, `${method} ${path}`);
    }
  const exec = '/api/v1/namespaces/default/pods/p/exec';
  for (const [method, expect] of Object.entries({
    GET: 200,
    POST: 200,
    HEAD: 405,
    OPTIONS: 405,
    PUT: 405,
    DELETE: 405,
  }))
    t.equal((await ask(`${method} ${exec}`)).status, expect, `${method} exec`);
  for (const path of [cluster, '/api/v1/pods', '/api/v1/namespaces/default/configmaps/a'])
    for (const method of ['HEAD', 'OPTIONS'])
      t.equal((await ask(`${method} ${path}`)).status, 405, `${method} ${path}`);
});

t.test('connect requests that fail are counted with their code', async t => {
  const connects = { 'services/proxy': () => Promise.reject(serviceUnavailable('nobody is there')) };
  const ask = httpClient(t, await runningServer(t, { connects }));
  t.equal((await ask('GET /api/v1/namespaces/default/services/s/proxy/a')).status, 503);
  const { text } = await ask('GET /metrics');
  const counted = text.split('\n').filter(line => /^apiserver_request_total.*subresource="proxy"/.test(line));
  t.match(counted, [/code="503",system_client=""} 1$/]);
  t.equal(counted.length, 1);
});

const core = '/api/v1/namespaces/default';
const containers = (...names: string[]) => names.map(name => ({ name, image: 'i' }));

/** Every kubelet and Pod is at a port that is closed. */
const kubelets = { dial: () => ({ host: '127.0.0.1', port: 1 }) };
const refused = 'dial tcp 127.0.0.1:1: connect: connection refused';

t.test('logs and streams of Pods that do not run on a node', async t => {
  const server = await runningServer(t, { kubelets });
  const ask = httpClient(t, server);
  const pod = (name: string, spec: object) => ask(`POST ${core}/pods`, { body: { metadata: { name }, spec } });
  t.equal((await pod('one', { containers: containers('c') })).status, 201);
  await pod('two', { containers: containers('a', 'b'), initContainers: containers('i') });
  await pod('placed', { containers: containers('c'), nodeName: 'n' });
  const invalid = (why: string): string => `PodLogOptions "one" is invalid: ${why}`;
  const choose = 'a container name must be specified for pod two, choose one of: [i a b]';
  const unplaced = 'pod one does not have a host assigned';
  const rows: readonly [what: string, status: number, message?: string][] = [
    ['GET one/log', 204],
    ['GET one/log?container=c&follow=true&tailLines=0&limitBytes=1&sinceTime=2026-01-02T03:04:05Z&dryRun=All', 204],
    ['GET one/log?container=d', 400, 'container d is not valid for pod one'],
    ['GET two/log', 400, choose],
    ['GET two/log?container=i', 204],
    ['GET none/log', 404, 'pods "none" not found'],
    ['GET placed/log', 404, 'nodes "n" not found'],
    ['GET one/log?tailLines=-1', 422, invalid('tailLines: Invalid value: -1: must be greater than or equal to 0')],
    ['GET one/log?limitBytes=0', 422, invalid('limitBytes: Invalid value: 0: must be greater than 0')],
    [
      'GET none/log?sinceSeconds=0',
      422,
      'PodLogOptions "none" is invalid: sinceSeconds: Invalid value: 0: must be greater than 0',
    ],
    [
      'GET one/log?sinceSeconds=5&sinceTime=2026-01-02T03:04:05Z',
      422,
      invalid(': Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified'),
    ],
    ['GET one/log?stream=Stdout', 422, invalid('stream: Forbidden: may not be specified')],
    ['GET one/log?tailLines=many', 400, 'strconv.ParseInt: parsing "many": invalid syntax'],
    [
      'GET one/log?sinceTime=now',
      400,
      'parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006"',
    ],
    ['POST one/log', 405, 'the server does not allow this method on the requested resource'],
    ...['exec', 'attach']
      .flatMap(part => [
        [`POST one/${part}?command=x`, 400, unplaced] as const,
        [`GET one/${part}?container=d`, 400, 'container d is not valid for pod one'] as const,
        [`POST two/${part}`, 400, choose] as const,
        [`POST none/${part}`, 404, 'pods "none" not found'] as const,
        [`POST none/${part}?dryRun=All`, 400, 'dryRun is not supported'] as const,
        [`POST placed/${part}`, 404, 'nodes "n" not found'] as const,
      ])
      .map(row => [...row] as [string, number, string]),
    ['POST two/portforward?ports=80', 400, 'pod two does not have a host assigned'],
    ['GET none/portforward', 404, 'pods "none" not found'],
  ];
  for (const [what, status, message] of rows) {
    const [method = '', path = ''] = what.split(' ');
    const answer = await ask(`${method} ${core}/pods/${path}`);
    t.equal(answer.status, status, what);
    if (message === undefined) t.equal(answer.text, '', what);
    else t.equal(answer.json.message, message, what);
  }
  await ask('POST /api/v1/nodes', { body: { metadata: { name: 'n' } } });
  const nowhere = 'no preferred addresses found; known addresses: []';
  for (const what of ['GET placed/log', 'POST placed/exec', 'POST placed/portforward'])
    t.match((await ask(what.replace(' ', ` ${core}/pods/`))).json, { code: 500, message: nowhere }, what);
  const setAddresses = (...addresses: object[]) =>
    ask('PATCH /api/v1/nodes/n/status', { type: 'application/merge-patch+json', body: { status: { addresses } } });
  await setAddresses({ type: 'Other', address: 'x' });
  t.equal((await ask(`GET ${core}/pods/placed/log`)).json.message, nowhere.replace('[]', '[{Other x}]'));
  await setAddresses({ type: 'ExternalIP', address: '192.0.2.7' }, { type: 'InternalIP', address: '2001:db8::7' });
  const kubelet = 'https://[2001:db8::7]:10250/containerLogs/default/placed/c';
  const reading = await ask(`GET ${core}/pods/placed/log?tailLines=3&follow&sinceTime=2026-01-02T03:04:05Z&previous=0`);
  t.match(reading.json, { code: 500, reason: undefined });
  const asked = `Get "${kubelet}?follow=true&sinceTime=2026-01-02T03%3A04%3A05Z&tailLines=3": ${refused}`;
  t.equal(reading.json.message, asked);
  const upgrade = { connection: 'upgrade', upgrade: 'SPDY/3.1' };
  for (const what of ['exec?command=x', 'attach', 'portforward']) {
    const plain = await ask(`POST ${core}/pods/placed/${what}`);
    t.match(plain.json, { code: 400, message: 'Upgrade request required' }, what);
    const asked = await ask(`POST ${core}/pods/placed/${what}`, { headers: upgrade });
    t.match(asked.json, { code: 500, message: `error dialing backend: ${refused}` }, what);
  }
  const { pki, port } = server;
  const identity = { ca: pki.authority.certificate, cert: pki.admin.certificate, key: pki.admin.key };
  const socket = new WebSocket(`wss://127.0.0.1:${port}${core}/pods/none/exec`, ['v5.channel.k8s.io'], identity);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
  t.equal(response.statusCode, 404, 'before any upgrade');
  socket.on('error', () => undefined).terminate();
});

t.test('a user with read access only cannot use exec with GET', async t => {
  const ask = httpClient(t, await runningServer(t));
  await ask('POST /apis/rbac.authorization.k8s.io/v1/clusterroles', {
    body: {
      metadata: { name: 'looks' },
      rules: [
        { apiGroups: [''], resources: ['pods/exec', 'pods/attach', 'pods/portforward', 'pods/log'], verbs: ['get'] },
      ],
    },
  });
  await ask('POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    body: {
      metadata: { name: 'looks' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'looks' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
    },
  });
  const headers = { 'impersonate-user': 'jane' };
  for (let allowed = false; !allowed;) allowed = (await ask(`GET ${core}/pods/none/log`, { headers })).status === 404;
  for (const part of ['exec', 'attach', 'portforward'])
    t.match((await ask(`GET ${core}/pods/none/${part}`, { headers })).json, {
      code: 403,
      message: /^pods "none" is forbidden: /,
    });
});

t.test('proxies to unreachable targets', async t => {
  const ask = httpClient(t, await runningServer(t, { kubelets }));
  await ask(`POST ${core}/pods`, { body: { metadata: { name: 'p' }, spec: { containers: containers('c') } } });
  await ask(`POST ${core}/services`, { body: { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } } });
  await ask('POST /api/v1/nodes', { body: { metadata: { name: 'n' } } });
  await ask(`POST ${core}/endpoints`, { body: { metadata: { name: 's' } } });
  const merge = 'application/merge-patch+json';
  for (const [name, address] of Object.entries({ local: '127.0.0.1', far: '192.0.2.1' })) {
    await ask('POST /api/v1/nodes', { body: { metadata: { name } } });
    const status = { addresses: [{ type: 'InternalIP', address }], daemonEndpoints: { kubeletEndpoint: { Port: 1 } } };
    await ask(`PATCH /api/v1/nodes/${name}/status`, { type: merge, body: { status } });
  }
  for (const [name, address] of Object.entries({ named: 'localhost', short: '127.1', other: 'x@127.0.0.1' })) {
    await ask('POST /api/v1/nodes', { body: { metadata: { name } } });
    const status = { addresses: [{ type: 'Hostname', address }] };
    await ask(`PATCH /api/v1/nodes/${name}/status`, { type: merge, body: { status } });
  }
  await ask(`POST ${core}/pods`, { body: { metadata: { name: 'q' }, spec: { containers: containers('c') } } });
  await ask(`PATCH ${core}/pods/q/status`, {
    type: merge,
    body: { status: { podIP: '192.0.2.9', podIPs: [{ ip: '192.0.2.9' }] } },
  });
  await ask(`POST ${core}/services`, {
    body: { metadata: { name: 't' }, spec: { ports: [{ name: 'web', port: 80 }], clusterIP: 'None' } },
  });
  const targetRef = { kind: 'Pod', namespace: 'default', name: 'q' };
  for (const [name, ip] of Object.entries({ t: '192.0.2.9', strange: '192.0.2.10' })) {
    const subsets = [{ addresses: [{ ip, targetRef }], ports: [{ name: 'web', port: 8080 }] }];
    t.equal((await ask(`POST ${core}/endpoints`, { body: { metadata: { name }, subsets } })).status, 201);
  }
  const unknownPort = (port: string): string =>
    `error trying to reach service: dial tcp: lookup tcp/${port}: unknown port`;
  const unreachable = `error trying to reach service: ${refused}`;
  const rows: readonly (readonly [path: string, status: number, message: string])[] = [
    [`${core}/pods/none/proxy`, 404, 'pods "none" not found'],
    [`${core}/pods/p:80/proxy/x`, 400, 'address not allowed'],
    [`${core}/pods/ftp:p:80/proxy`, 400, 'invalid pod request "ftp:p:80"'],
    [`${core}/services/s:81/proxy/`, 503, 'no service port 81 found for service "s"'],
    [`${core}/services/https:s:80/proxy/`, 503, 'no endpoints available for service "s"'],
    [`${core}/services/none/proxy`, 404, 'endpoints "none" not found'],
    [`${core}/services/a:b:c:d/proxy`, 400, 'invalid service request "a:b:c:d"'],
    ['/api/v1/nodes/none/proxy', 404, 'nodes "none" not found'],
    ['/api/v1/nodes/n/proxy', 500, 'no preferred addresses found; known addresses: []'],
    ['/api/v1/nodes/local:10250/proxy', 400, 'address not allowed'],
    ['/api/v1/nodes/far:10250/proxy/', 503, unreachable],
    ['/api/v1/nodes/named:2379/proxy/', 400, 'address not allowed'],
    ['/api/v1/nodes/short:2379/proxy/', 400, 'address not allowed'],
    ['/api/v1/nodes/other:2379/proxy/', 500, 'invalid address'],
    ...['80@169.254.169.254', 'x@127.0.0.1', 'web', '65536', '-1'].flatMap(port =>
      [`${core}/pods/q`, '/api/v1/nodes/far'].map(
        target => [`${target}:${port}/proxy/a`, 503, unknownPort(port)] as const,
      ),
    ),
    [`${core}/services/t:80/proxy/`, 503, unreachable],
    [`${core}/services/t:web/proxy/`, 503, unreachable],
    [`${core}/services/t/proxy/`, 503, 'no endpoints available for service "t"'],
    [`${core}/services/t:other/proxy/`, 503, 'no endpoints available for service "t:other"'],
    [`${core}/services/strange:web/proxy/`, 503, 'no endpoints available for service "strange:web"'],
  ];
  for (const [path, status, message] of rows)
    for (const method of ['GET', 'POST', 'DELETE'])
      t.match((await ask(`${method} ${path}`)).json, { code: status, message }, `${method} ${path}`);
});
