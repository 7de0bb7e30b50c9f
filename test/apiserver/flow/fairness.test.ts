/** Priority and fairness of a running server. */
import { EventEmitter, once } from 'node:events';
import type { ClientRequest } from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { Registry } from 'prom-client';
import t, { type Test } from 'tap';
import { defaultArrivalLimits } from '../../../apiserver/flow/body-arrivals.js';
import { fairness } from '../../../apiserver/flow/fairness.js';
import { FlowControl } from '../../../apiserver/flow/flow-control.js';
import { flowMetrics } from '../../../apiserver/flow/flow-metrics.js';
import { Request } from '../../../apiserver/http/request.js';
import { requestInfo } from '../../../apiserver/http/request-info.js';
import type { HttpExchange } from '../../../apiserver/interface.js';
import { admissionAnswer, startWebhook } from '../../aggregation/webhooks.js';
import { httpClient, type HttpClient, watch } from '../http-client.js';
import { runningServer, type TestServer } from '../running.js';

const group = '/apis/flowcontrol.apiserver.k8s.io/v1';
const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';
const configMaps = '/api/v1/namespaces/default/configmaps';

const level = (name: string, limitResponse: object) => ({
  ...{ apiVersion, kind: 'PriorityLevelConfiguration', metadata: { name } },
  spec: {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 1, lendablePercent: 0, borrowingLimitPercent: 0, limitResponse },
  },
});

const schema = (name: string, levelName: string) => ({
  ...{ apiVersion, kind: 'FlowSchema', metadata: { name } },
  spec: {
    priorityLevelConfiguration: { name: levelName },
    matchingPrecedence: 10,
    distinguisherMethod: { type: 'ByUser' },
    rules: [
      {
        subjects: [{ kind: 'Group', group: { name } }],
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }],
      },
    ],
  },
});

const as = (user: string, groupName: string) => ({ 'impersonate-user': user, 'impersonate-group': groupName });

async function until<T>(find: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
  }
}

/** Starts a request that occupies a seat until it is destroyed. */
type Hold = (headers: Record<string, string>) => Promise<ClientRequest>;

/** Returns a function that occupies seats with creations of ConfigMaps with the label `hold`, which wait for a webhook that never responds. */
async function holder(t: Test, server: TestServer): Promise<Hold> {
  const ask = httpClient(t, server);
  const requests = new EventEmitter();
  const webhook = await startWebhook(t, review => {
    const { name } = review['request'] as { name: string };
    requests.emit(name);
    return name === 'probe' ? admissionAnswer(review) : { silent: true };
  });
  await ask('POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    body: {
      metadata: { name: 'hold' },
      webhooks: [
        {
          ...{ name: 'hold.example.com', admissionReviewVersions: ['v1'], sideEffects: 'None', timeoutSeconds: 30 },
          clientConfig: { url: webhook.url, caBundle: webhook.caBundle },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
          objectSelector: { matchLabels: { hold: 'true' } },
        },
      ],
    },
  });
  const held = (name: string) => ({ metadata: { name, labels: { hold: 'true' } } });
  await until(async () => {
    await ask(`POST ${configMaps}?dryRun=All`, { body: held('probe') });
    return webhook.calls[0];
  });
  let last = 0;
  return async headers => {
    const { host, port, pki } = server;
    const name = `held-${++last}`;
    const request = https.request({
      ...{ host, port, method: 'POST', path: configMaps, agent: false },
      ...{ ca: pki.authority.certificate, cert: pki.admin.certificate, key: pki.admin.key },
      headers: { ...headers, 'content-type': 'application/json' },
    });
    request.on('error', () => undefined);
    t.teardown(() => request.destroy());
    const waits = once(requests, name);
    request.end(JSON.stringify(held(name)));
    await waits;
    return request;
  };
}

async function metric(ask: HttpClient, name: string): Promise<readonly string[]> {
  const { text } = await ask('GET /metrics');
  return text.split('\n').filter(line => line.startsWith(`apiserver_flowcontrol_${name}{`));
}

const inUse = (ask: HttpClient, name: string, value: number) =>
  until(async () =>
    (await metric(ask, 'current_executing_requests')).find(
      line => line.includes(`priority_level="${name}"`) && line.endsWith(` ${value}`),
    ),
  );

/** Timeout of requests in milliseconds: long enough that no occupied seat is freed by its timeout while a slow machine runs the test. */
const timeoutMs = 12_000;

/** Starts a server with few seats, with a priority level of one seat for the group of the same name. */
async function limited(t: Test, limitResponse: object) {
  const server = await runningServer(t, { limits: { reading: 1, writing: 1 }, requestTimeoutMs: timeoutMs });
  const ask = httpClient(t, server);
  await ask(`POST ${group}/prioritylevelconfigurations`, { body: level('tight', limitResponse) });
  await ask(`POST ${group}/flowschemas`, { body: schema('tight', 'tight') });
  const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  const subjects = [{ apiGroup: role.apiGroup, kind: 'Group', name: 'tight' }];
  await ask('POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    body: { metadata: { name: 'tight' }, roleRef: role, subjects },
  });
  const { json } = await ask(`GET ${group}/prioritylevelconfigurations/tight`);
  const uid = (json.metadata as unknown as { uid: string }).uid;
  await until(async () => {
    const { headers, status } = await ask(`GET ${configMaps}`, { headers: as('jane', 'tight') });
    return status === 200 && headers['x-kubernetes-pf-prioritylevel-uid'] === uid ? true : undefined;
  });
  return { server, ask, uid, hold: await holder(t, server) };
}

t.test('responses carry the uids of the flow schema and the priority level', async t => {
  const server = await runningServer(t);
  const ask = httpClient(t, server);
  const { headers } = await ask(`GET ${configMaps}`);
  const uidOf = async (path: string) =>
    ((await ask(`GET ${group}/${path}`)).json.metadata as unknown as { uid: string }).uid;
  t.equal(headers['x-kubernetes-pf-flowschema-uid'], await uidOf('flowschemas/exempt'));
  t.equal(headers['x-kubernetes-pf-prioritylevel-uid'], await uidOf('prioritylevelconfigurations/exempt'));
  const { headers: theirs, status } = await ask(`GET ${configMaps}`, { headers: as('jane', 'devs') });
  t.equal(status, 403, 'priority and fairness runs before authorization');
  t.equal(theirs['x-kubernetes-pf-flowschema-uid'], await uidOf('flowschemas/global-default'));
});

t.test('a request is rejected if there is no free seat', async t => {
  const { ask, uid, hold } = await limited(t, { type: 'Reject' });
  const held = await hold(as('jane', 'tight'));
  await inUse(ask, 'tight', 1);
  const { status, text, headers } = await ask(`GET ${configMaps}`, { headers: as('joe', 'tight') });
  t.equal(status, 429);
  t.equal(text, 'Too many requests, please try again later.\n');
  t.match(headers, { 'retry-after': '1', 'content-type': 'text/plain; charset=utf-8' });
  t.equal(headers['x-kubernetes-pf-prioritylevel-uid'], uid);
  t.equal((await ask(`GET ${configMaps}`)).status, 200, 'exempt requests are not limited');
  t.match((await metric(ask, 'rejected_requests_total')).join(), /reason="concurrency-limit"/);
  held.destroy();
  await inUse(ask, 'tight', 0);
  t.equal((await ask(`GET ${configMaps}`, { headers: as('joe', 'tight') })).status, 200);
});

t.test('a request waits for a seat in a queue, for at most a quarter of its timeout', async t => {
  const { ask, hold } = await limited(t, {
    type: 'Queue',
    queuing: { queues: 1, handSize: 1, queueLengthLimit: 1 },
  });
  const held = await hold(as('jane', 'tight'));
  await inUse(ask, 'tight', 1);
  const waiting = ask(`GET ${configMaps}`, { headers: as('joe', 'tight') });
  await until(async () => (await metric(ask, 'current_inqueue_requests')).find(line => line.endsWith(' 1')));
  t.equal((await ask(`GET ${configMaps}`, { headers: as('jim', 'tight') })).status, 429, 'the queue is full');
  held.destroy();
  t.equal((await waiting).status, 200, 'the request got a seat');
  const again = await hold(as('jane', 'tight'));
  await inUse(ask, 'tight', 1);
  let isAnswered = false;
  again.on('response', () => (isAnswered = true));
  const began = performance.now();
  t.equal(
    (await ask(`GET ${configMaps}`, { headers: as('joe', 'tight') })).status,
    429,
    'the request timed out in the queue',
  );
  const took = performance.now() - began;
  t.ok(took > timeoutMs / 4 - 100, `a quarter of ${timeoutMs} ms: ${Math.round(took)} ms`);
  t.notOk(isAnswered, 'the request that holds the seat has its whole timeout');
  again.destroy();
  const reasons = (await metric(ask, 'rejected_requests_total')).join();
  t.match(reasons, /reason="queue-full"/);
  t.match(reasons, /reason="time-out"/);
});

t.test('requests whose bodies arrive slowly occupy no seat, and are limited per user', async t => {
  const server = await runningServer(t);
  const ask = httpClient(t, server);
  const { host, port, pki } = server;
  const session = http2.connect(`https://${host}:${port}`, {
    ...{ ca: pki.authority.certificate, cert: pki.admin.certificate, key: pki.admin.key },
    ...{ host, servername: 'localhost' },
  });
  t.teardown(() => session.destroy());
  const { bodies } = defaultArrivalLimits.slow;
  const refused: unknown[] = [];
  const begin = (): void => {
    const headers = {
      ':method': 'POST',
      ':path': configMaps,
      'content-type': 'application/json',
      ...as('eve', 'devs'),
    };
    const stream = session.request({ ...headers, 'content-length': '100000' });
    stream.on('error', () => undefined);
    stream.on('response', answered => refused.push(answered));
    stream.write('{');
  };
  for (let i = 0; i < 2 * bodies; i++) begin();
  const theirs = await ask(`GET ${configMaps}`, { headers: as('joe', 'devs') });
  t.equal(theirs.status, 403, 'another user of the same level gets a response');
  t.same(
    (await metric(ask, 'current_executing_requests')).filter(
      line => line.includes('priority_level="global-default"') && !line.endsWith(' 0'),
    ),
    [],
    'no seat is occupied',
  );
  await until(async () => {
    await ask(`POST ${configMaps}`, { body: {}, headers: as('eve', 'devs') });
    return refused[bodies]; // all but those within the limit of one user, once they are slow
  });
  t.match(refused[0], { ':status': 429, 'retry-after': '1' });
});

t.test('watches release their seat after the initial events', async t => {
  const { server, ask } = await limited(t, { type: 'Reject' });
  const first = await watch(t, server, `${configMaps}?watch=1`, 'application/json', as('jane', 'tight'));
  t.equal(first.status, 200);
  await inUse(ask, 'tight', 0);
  t.equal((await ask(`GET ${configMaps}`, { headers: as('joe', 'tight') })).status, 200);
});

t.test('mandatory objects are restored, and flow schemas report missing levels', async t => {
  const server = await runningServer(t, { limits: { restoreEveryMs: 50 } });
  const ask = httpClient(t, server);
  const condition = (name: string, status: string) =>
    until(async () => {
      const { json } = await ask(`GET ${group}/flowschemas/${name}`);
      const { conditions = [] } = (json['status'] ?? {}) as { conditions?: { type: string; status: string }[] };
      return conditions.find(each => each.type === 'Dangling' && each.status === status);
    });
  await condition('global-default', 'False');
  await ask(`POST ${group}/flowschemas`, { body: schema('lost', 'nowhere') });
  t.match(await condition('lost', 'True'), { reason: 'NotFound' });
  await ask(`POST ${group}/prioritylevelconfigurations`, { body: level('nowhere', { type: 'Reject' }) });
  t.match(await condition('lost', 'False'), { reason: 'Found' });
  await ask(`DELETE ${group}/flowschemas/catch-all`);
  await ask(`DELETE ${group}/prioritylevelconfigurations/catch-all`);
  await until(async () => ((await ask(`GET ${group}/flowschemas/catch-all`)).status === 200 ? true : undefined));
  await until(async () =>
    (await ask(`GET ${group}/prioritylevelconfigurations/catch-all`)).status === 200 ? true : undefined,
  );
  const merge = { type: 'application/merge-patch+json' };
  await ask(`PATCH ${group}/flowschemas/probes`, { ...merge, body: { spec: { matchingPrecedence: 77 } } });
  await until(async () => {
    const { json } = await ask(`GET ${group}/flowschemas/probes`);
    return (json['spec'] as { matchingPrecedence: number }).matchingPrecedence === 2 ? true : undefined;
  });
});

t.test('without priority and fairness the number of concurrent requests is limited', async t => {
  const server = await runningServer(t, { limits: { priorityAndFairness: false, reading: 1, writing: 1 } });
  const ask = httpClient(t, server);
  const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
  const subjects = [{ apiGroup: role.apiGroup, kind: 'Group', name: 'devs' }];
  await ask('POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    body: { metadata: { name: 'devs' }, roleRef: role, subjects },
  });
  await until(async () =>
    (await ask(`GET ${configMaps}`, { headers: as('jane', 'devs') })).status === 200 ? true : undefined,
  );
  const held = await (await holder(t, server))(as('jane', 'devs'));
  const body = { metadata: { name: 'a' } };
  const { status, headers } = await ask(`POST ${configMaps}`, { body, headers: as('joe', 'devs') });
  t.equal(status, 429);
  t.equal(headers['retry-after'], '1');
  t.notOk(headers['x-kubernetes-pf-flowschema-uid']);
  t.equal((await ask(`GET ${configMaps}`, { headers: as('joe', 'devs') })).status, 200, 'reads are counted separately');
  t.equal((await ask(`POST ${configMaps}`, { body })).status, 201, 'system:masters is not counted');
  const of = `verb="POST",group="",version="v1",resource="configmaps",subresource="",scope="resource",component="apiserver"`;
  const lines = (await ask('GET /metrics')).text.split('\n');
  const expected = [
    `apiserver_request_terminations_total{${of},code="429"} 1`,
    `apiserver_request_total{${of},dry_run="",code="429",system_client=""} 1`,
    'apiserver_current_inflight_requests{request_kind="mutating"} 2',
    'apiserver_current_inflight_requests{request_kind="readOnly"} 1',
    'apiserver_current_inqueue_requests{request_kind="mutating"} 0',
  ];
  for (const line of expected) t.ok(lines.includes(line), line);
  held.destroy();
});

t.test('a request that timed out in the queue is not executed', async t => {
  const clock = (): number => performance.now();
  const control = new FlowControl(1, clock); // one seat for the level of requests that match no schema
  control.configure(
    [],
    [level('catch-all', { type: 'Queue', queuing: { queues: 1, handSize: 1, queueLengthLimit: 1 } })],
  );
  const enter = fairness({ control, metrics: flowMetrics(new Registry(), control), clock });
  const arrive = (): Request => {
    const exchange = { query: '', onClose: () => undefined } as unknown as HttpExchange; // the filter uses no other members
    const request = new Request(exchange, () => undefined);
    request.info = requestInfo('GET', configMaps, request.query);
    request.user = { name: 'jane', groups: [] };
    return request;
  };
  const first = arrive();
  t.equal(enter(first), undefined, 'there is a free seat');
  const { set } = control.flowOf(first.user, first.info).level;
  const second = arrive();
  const refused = t.rejects(Promise.resolve(enter(second)));
  t.equal(set.waiting, 1);
  second.release();
  first.release();
  await refused;
  t.match(set, { waiting: 0, executing: 0, seatsInUse: 0 });
});
