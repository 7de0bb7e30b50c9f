/** The audit log of a running server. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { AuditPolicy } from '../../../apiserver/audit/policy.js';
import { admissionAnswer, startWebhook } from '../../aggregation/webhooks.js';
import { httpClient, watch } from '../http-client.js';
import { runningServer, temporaryFolder } from '../running.js';

interface Event {
  readonly level: string;
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly annotations?: Record<string, string>;
  readonly requestObject?: unknown;
  readonly responseObject?: unknown;
}

async function audited(t: Test, policy: AuditPolicy) {
  const file = path.join(await temporaryFolder(t), 'audit.log');
  const log = { path: file, maxSize: 10, maxAge: 0, maxBackups: 0 };
  const server = await runningServer(t, { audit: { policy, log } });
  const read = async (): Promise<Event[]> =>
    (await fs.readFile(file, 'utf8'))
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line) as Event);
  /** Returns the events of one request, once there are this many. */
  const of = async (id: string, count: number): Promise<Event[]> => {
    for (;;) {
      const events = (await read()).filter(({ auditID }) => auditID === id);
      if (events.length >= count) return events;
      await immediate();
    }
  };
  return { server, ask: httpClient(t, server), of, read };
}

const configMaps = '/api/v1/namespaces/default/configmaps';
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

t.test('a complete event', async t => {
  const { ask, of } = await audited(t, { rules: [{ level: 'RequestResponse' }] });
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { b: 'c' } };
  const headers = { 'audit-id': 'one', 'x-forwarded-for': '1.2.3.4' };
  const { json } = await ask(`POST ${configMaps}?fieldManager=me`, { body, headers });
  const [received, complete] = await of('one', 2);
  const common = {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'RequestResponse',
    auditID: 'one',
    requestURI: `${configMaps}?fieldManager=me`,
    verb: 'create',
    user: {
      username: 'system:admin',
      groups: ['system:masters', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [/^X509SHA256=/] },
    },
    sourceIPs: ['1.2.3.4', '127.0.0.1'],
    userAgent: 'test/1',
    requestReceivedTimestamp: time,
    stageTimestamp: time,
  };
  const objectRef = { resource: 'configmaps', namespace: 'default', apiVersion: 'v1' };
  t.match(received, { ...common, stage: 'RequestReceived', objectRef });
  t.notOk(received?.annotations);
  t.match(complete, {
    ...common,
    stage: 'ResponseComplete',
    objectRef: { ...objectRef, name: 'a' },
    responseStatus: { metadata: {}, code: 201 },
    requestObject: body,
    annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
  });
  t.same(complete?.responseObject, json);
  t.same(Object.keys(complete ?? {}), [
    ...['kind', 'apiVersion', 'level', 'auditID', 'stage', 'requestURI', 'verb', 'user', 'sourceIPs', 'userAgent'],
    ...['objectRef', 'responseStatus', 'requestObject', 'responseObject', 'requestReceivedTimestamp'],
    ...['stageTimestamp', 'annotations'],
  ]);
});

t.test('refusals, impersonation, failed authentication', async t => {
  const { ask, of, server } = await audited(t, { omitStages: ['RequestReceived'], rules: [{ level: 'Metadata' }] });
  await ask(`GET ${configMaps}`, { headers: { 'audit-id': 'two', 'impersonate-user': 'jane' } });
  const [event] = await of('two', 1);
  t.match(event, {
    impersonatedUser: { username: 'jane', groups: ['system:authenticated'] },
    responseStatus: { status: 'Failure', reason: 'Forbidden', code: 403, message: /cannot list resource/ },
    annotations: { 'authorization.k8s.io/decision': 'forbid' },
  });
  t.notOk(event?.responseObject);
  await ask(`GET ${configMaps}/none`, { headers: { 'audit-id': 'three' } });
  t.match(await of('three', 1), [{ responseStatus: { code: 404, reason: 'NotFound', details: { name: 'none' } } }]);
  const stranger = httpClient(t, { ...server, pki: { ...server.pki, admin: { certificate: '', key: '' } } });
  const answer = await stranger(`GET ${configMaps}`, { headers: { 'audit-id': 'four', authorization: 'Bearer no' } });
  t.equal(answer.status, 401);
  const failed = await of('four', 1);
  t.match(failed, [{ stage: 'ResponseStarted', user: {}, responseStatus: { code: 401, reason: 'Unauthorized' } }]);
  t.equal(failed.length, 1);
});

t.test('patches and deletions; managed fields are omitted', async t => {
  const policy: AuditPolicy = {
    omitStages: ['RequestReceived'],
    omitManagedFields: true,
    rules: [{ level: 'RequestResponse', verbs: ['patch', 'list'] }, { level: 'Request' }],
  };
  const { ask, of } = await audited(t, policy);
  await ask(`POST ${configMaps}`, { body: { metadata: { name: 'a' } }, headers: { 'audit-id': 'create' } });
  await ask(`PATCH ${configMaps}/a`, {
    body: { data: { a: 'b' } },
    type: 'application/merge-patch+json',
    headers: { 'audit-id': 'patch' },
  });
  const [patch] = await of('patch', 1);
  t.match(patch, { requestObject: { data: { a: 'b' } }, responseObject: { kind: 'ConfigMap', data: { a: 'b' } } });
  t.notOk(JSON.stringify(patch).includes('managedFields'));
  await ask(`GET ${configMaps}`, { headers: { 'audit-id': 'list' } });
  const [list] = await of('list', 1);
  t.match(list, { responseObject: { kind: 'ConfigMapList', items: [{ metadata: { name: 'a' } }] } });
  t.notOk(JSON.stringify(list).includes('managedFields'));
  await ask(`DELETE ${configMaps}/a?propagationPolicy=Background`, { headers: { 'audit-id': 'delete' } });
  t.match(await of('delete', 1), [
    { requestObject: { propagationPolicy: 'Background' }, responseStatus: { status: 'Success', code: 200 } },
  ]);
});

t.test('user input cannot add lines to the log', async t => {
  const { ask, of, read } = await audited(t, { rules: [{ level: 'RequestResponse' }] });
  await ask(`POST ${configMaps}`, { body: { metadata: { name: 'a' } } });
  const forged = JSON.stringify({ kind: 'Event', auditID: 'forged', verb: 'get' });
  const body = `{"metadata":{"annotations":\r\n${forged}\n}}`;
  const type = 'application/merge-patch+json';
  t.equal((await ask(`PATCH ${configMaps}/a`, { body, type, headers: { 'audit-id': 'patch' } })).status, 200);
  const [, complete] = await of('patch', 2); // every line is an event
  t.same(complete?.requestObject, JSON.parse(body));
  t.notOk((await read()).find(({ auditID }) => auditID === 'forged'));
});

t.test('a watch has three stages', async t => {
  const { server, of } = await audited(t, { rules: [{ level: 'Metadata', verbs: ['watch'] }] });
  const headers = { 'audit-id': 'watch' };
  const watching = await watch(t, server, `${configMaps}?watch=1&resourceVersion=0`, 'application/json', headers);
  t.match(
    (await of('watch', 2)).map(({ stage }) => stage),
    ['RequestReceived', 'ResponseStarted'],
  );
  watching.stop();
  const events = await of('watch', 3);
  t.match(events.at(-1), { stage: 'ResponseComplete', responseStatus: { code: 200 } });
});

t.test('requests without a matching rule are not logged', async t => {
  const { ask, read, of } = await audited(t, {
    rules: [
      { level: 'None', verbs: ['get'] },
      { level: 'Metadata', verbs: ['list'] },
    ],
  });
  await ask(`GET ${configMaps}/a`, { headers: { 'audit-id': 'silent' } });
  await ask(`DELETE ${configMaps}/a`, { headers: { 'audit-id': 'silent' } });
  await ask(`GET ${configMaps}`, { headers: { 'audit-id': 'last' } });
  await of('last', 2);
  t.notOk((await read()).some(({ auditID }) => auditID === 'silent'));
  const { text } = await ask('GET /metrics');
  t.match(text, /apiserver_audit_level_total\{level="Metadata"\} 1/);
  t.match(text, /apiserver_audit_event_total 2/);
});

t.test('annotations by pod security', async t => {
  const { ask, of } = await audited(t, { omitStages: ['RequestReceived'], rules: [{ level: 'Metadata' }] });
  const prefix = 'pod-security.kubernetes.io';
  const labels = { [`${prefix}/audit`]: 'restricted', [`${prefix}/enforce`]: 'baseline' };
  await ask('POST /api/v1/namespaces', { body: { metadata: { name: 'strict', labels } } });
  await ask('POST /api/v1/namespaces/strict/serviceaccounts', { body: { metadata: { name: 'default' } } });
  const pod = { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  await ask('POST /api/v1/namespaces/strict/pods', { body: pod, headers: { 'audit-id': 'pod' } });
  t.match((await of('pod', 1))[0]?.annotations, {
    [`${prefix}/enforce-policy`]: 'baseline:latest',
    [`${prefix}/audit-violations`]: /^would violate PodSecurity "restricted:latest": allowPrivilegeEscalation != false/,
  });
});

t.test('annotations by webhooks', async t => {
  const { ask, of } = await audited(t, { omitStages: ['RequestReceived'], rules: [{ level: 'Metadata' }] });
  const many = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`k${i}`, `"${i}"`]));
  const webhook = await startWebhook(t, (review, path) =>
    admissionAnswer(review, {
      allowed: true,
      auditAnnotations: path.startsWith('/first') ? many : { k0: 'x', z: '' },
    }),
  );
  const hook = (path: string): object => ({
    ...{ name: 'w.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'] },
    clientConfig: { url: `${webhook.url}${path}`, caBundle: webhook.caBundle },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
  });
  const registration = '/apis/admissionregistration.k8s.io/v1';
  await ask(`POST ${registration}/mutatingwebhookconfigurations`, {
    body: { metadata: { name: 'first' }, webhooks: [hook('/first')] },
  });
  await ask(`POST ${registration}/validatingwebhookconfigurations`, {
    body: { metadata: { name: 'second' }, webhooks: [hook('/second')] },
  });
  let id = '';
  for (let i = 0; webhook.calls.length < 2; i++) {
    webhook.calls.length = 0;
    id = `attempt-${i}`;
    const body = { metadata: { name: `a${i}` } };
    await ask(`POST ${configMaps}`, { body, headers: { 'audit-id': id } });
  }
  const { annotations = {} } = (await of(id, 1))[0] ?? {};
  const prefix = 'w.example.com/';
  t.equal(Object.keys(annotations).filter(key => key.startsWith(`${prefix}k`)).length, 3000);
  t.match(
    annotations,
    { [`${prefix}k0`]: '"0"', [`${prefix}k2999`]: '"2999"', [`${prefix}z`]: '' },
    'first value stays',
  );
});
