/** Metrics that dashboards and alerts for kube-apiserver use, for real events. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import net from 'node:net';
import t from 'tap';
import { admissionAnswer, startWebhook } from '../../aggregation/webhooks.js';
import { startEtcd, withoutEtcd } from '../../storage/etcd-server.js';
import { httpClient } from '../http-client.js';
import { runningServer, type TestServer } from '../running.js';

const configMaps = '/api/v1/namespaces/default/configmaps';
const hooks = '/apis/admissionregistration.k8s.io/v1';

let server: TestServer;
let ask: ReturnType<typeof httpClient>;

/** Returns the values of all series, by name with labels. */
async function counted(): Promise<ReadonlyMap<string, number>> {
  const { text } = await ask('GET /metrics');
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'));
  return new Map(lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]));
}

const route = (verb: string, scope = 'resource', resource = 'configmaps', version = 'v1'): string =>
  `verb="${verb}",group="",version="${version}",resource="${resource}",subresource="",scope="${scope}",component="apiserver"`;

/** Returns by how much each series grew. */
async function growth(does: () => Promise<unknown>, names: readonly string[]): Promise<Record<string, number>> {
  const before = await counted();
  await does();
  const after = await counted();
  return Object.fromEntries(names.map(name => [name, (after.get(name) ?? 0) - (before.get(name) ?? 0)]));
}

t.before(async () => {
  server = await runningServer(t);
  ask = httpClient(t, server);
});

t.test('metrics have the names and types of kube-apiserver', async t => {
  const { text } = await ask('GET /metrics');
  const expected = [
    'apiserver_admission_controller_admission_duration_seconds histogram',
    'apiserver_admission_step_admission_duration_seconds histogram',
    'apiserver_request_sli_duration_seconds histogram',
    'apiserver_request_terminations_total counter',
    'apiserver_current_inflight_requests gauge',
    'apiserver_client_certificate_expiration_seconds histogram',
    'apiserver_tls_handshake_errors_total counter',
    'apiserver_requested_deprecated_apis gauge',
    'apiserver_resource_objects gauge',
    'apiserver_storage_objects gauge',
    'aggregator_unavailable_apiservice gauge',
    'aggregator_unavailable_apiservice_total counter',
    'authenticated_user_requests counter',
    'authentication_attempts counter',
    'authorization_attempts_total counter',
    'etcd_request_duration_seconds histogram',
    'apiserver_cache_list_fetched_objects_total counter',
    'apiserver_cache_list_returned_objects_total counter',
    'apiserver_cache_list_total counter',
    'apiserver_storage_events_received_total counter',
    'apiserver_storage_list_fetched_objects_total counter',
    'apiserver_storage_list_total counter',
    'apiserver_storage_list_evaluated_objects_total counter',
    'apiserver_storage_list_returned_objects_total counter',
    'apiserver_init_events_total counter',
    'apiserver_admission_step_admission_duration_seconds_summary summary',
    'apiserver_storage_size_bytes gauge',
    'apiserver_terminated_watchers_total counter',
    'apiserver_watch_cache_consistent_read_total counter',
    'apiserver_watch_cache_events_dispatched_total counter',
    'apiserver_watch_cache_events_received_total counter',
    'apiserver_watch_cache_initializations_total counter',
    'apiserver_watch_cache_read_wait_seconds histogram',
    'apiserver_watch_cache_resource_version gauge',
    'etcd_requests_total counter',
    'nodejs_eventloop_lag_p99_seconds gauge',
    'nodejs_gc_duration_seconds histogram',
    'nodejs_heap_size_total_bytes gauge',
    'nodejs_heap_size_used_bytes gauge',
    'nodejs_heap_space_size_used_bytes gauge',
    'nodejs_version_info gauge',
    'kubernetes_build_info gauge',
    'process_cpu_seconds_total counter',
    'process_resident_memory_bytes gauge',
    'process_start_time_seconds gauge',
  ];
  for (const line of expected) t.ok(text.includes(`\n# TYPE ${line}\n`), line);
  t.match(text, /\n# HELP apiserver_admission_step_admission_duration_seconds \[STABLE\] /);
  t.match(text, /\nkubernetes_build_info\{major="1",minor="36",[^}]*git_version="v1\.36\.\d+"[^}]*\} 1\n/);
});

t.test('admission durations are observed per plugin and step', async t => {
  const names = [
    'apiserver_admission_controller_admission_duration_seconds_count{name="NamespaceLifecycle",type="admit",operation="CREATE",rejected="false"}',
    'apiserver_admission_controller_admission_duration_seconds_count{name="ResourceQuota",type="validate",operation="CREATE",rejected="false"}',
    'apiserver_admission_step_admission_duration_seconds_count{type="admit",operation="CREATE",rejected="false"}',
    'apiserver_admission_step_admission_duration_seconds_count{type="validate",operation="CREATE",rejected="false"}',
    'apiserver_admission_step_admission_duration_seconds_bucket{type="admit",operation="CREATE",rejected="false",le="2.5"}',
    'apiserver_admission_step_admission_duration_seconds_bucket{type="admit",operation="CREATE",rejected="false",le="+Inf"}',
  ];
  const create = (): Promise<unknown> => ask(`POST ${configMaps}`, { body: { metadata: { name: 'timed' } } });
  t.same(Object.values(await growth(create, names)), [1, 1, 1, 1, 1, 1]);

  const refused = [
    'apiserver_admission_controller_admission_duration_seconds_count{name="NamespaceLifecycle",type="admit",operation="DELETE",rejected="true"}',
    'apiserver_admission_step_admission_duration_seconds_count{type="admit",operation="DELETE",rejected="true"}',
    'apiserver_admission_controller_admission_duration_seconds_count{name="NamespaceLifecycle",type="validate",operation="DELETE",rejected="true"}',
    'apiserver_admission_step_admission_duration_seconds_count{type="validate",operation="DELETE",rejected="true"}',
  ];
  const remove = (): Promise<unknown> => ask('DELETE /api/v1/namespaces/default');
  const total = Object.values(await growth(remove, refused)).reduce((sum, one) => sum + one, 0);
  t.equal(total, 2, 'a refusal is counted by plugin and by step');
});

t.test('requests are counted', async t => {
  const names = [
    `apiserver_request_total{${route('APPLY')},dry_run="",code="201",system_client=""}`,
    `apiserver_request_total{${route('DELETE', 'namespace')},dry_run="",code="200",system_client="kube-scheduler"}`,
    `apiserver_request_sli_duration_seconds_count{${route('APPLY')}}`,
    `apiserver_request_duration_seconds_count{${route('WATCH', 'namespace')},dry_run=""}`,
    'apiserver_requested_deprecated_apis{group="",version="v1",resource="endpoints",subresource="",removed_release=""}',
  ];
  const does = async (): Promise<void> => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' } };
    await ask(`PATCH ${configMaps}/applied?fieldManager=me`, { body, type: 'application/apply-patch+yaml' });
    await ask(`GET ${configMaps}?watch=true&timeoutSeconds=1`);
    await ask('GET /api/v1/namespaces/default/endpoints');
    await ask('GET /api/v1/namespaces/default/endpoints');
    const headers = { 'user-agent': 'kube-scheduler/v1.36.0 (linux/amd64)' };
    await ask(`DELETE ${configMaps}?labelSelector=none`, { headers });
  };
  t.same(Object.values(await growth(does, names)), [1, 1, 1, 1, 1]);
});

t.test('the time of webhooks is not part of the SLI duration', async t => {
  let held = 0;
  const slow = await startWebhook(t, async review => {
    const began = performance.now();
    while (performance.now() - began < 50) await ask('GET /version');
    held += (performance.now() - began) / 1000;
    return admissionAnswer(review);
  });
  const hook = {
    ...{ name: 'slow.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'] },
    clientConfig: { url: slow.url, caBundle: slow.caBundle },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'] }],
  };
  await ask(`POST ${hooks}/validatingwebhookconfigurations`, {
    body: { metadata: { name: 'slow' }, webhooks: [hook] },
  });
  const of = route('POST', 'resource', 'secrets');
  const names = [
    `apiserver_request_duration_seconds_sum{${of},dry_run=""}`,
    `apiserver_request_sli_duration_seconds_sum{${of}}`,
  ];
  const does = async (): Promise<void> => {
    for (let n = 0; slow.calls.length === 0; n++)
      await ask('POST /api/v1/namespaces/default/secrets', { body: { metadata: { name: `s${n}` } } });
  };
  const [whole = 0, ownSeconds = 0] = Object.values(await growth(does, names));
  t.ok(ownSeconds > 0, 'the server takes some time itself');
  t.ok(
    whole - ownSeconds >= held,
    `${whole - ownSeconds} s are not part of the SLI, of which the webhook took ${held}`,
  );
});

t.test('authentication and authorization attempts are counted', async t => {
  const names = [
    'authentication_attempts{result="success"}',
    'authentication_attempts{result="error"}',
    'authorization_attempts_total{result="no-opinion"}',
    'apiserver_client_certificate_expiration_seconds_count',
  ];
  const does = async (): Promise<void> => {
    await ask(`GET ${configMaps}`);
    await ask(`GET ${configMaps}`, { headers: { 'impersonate-user': 'jane' } });
    const anonymous = await fetchAs('Bearer nonsense');
    t.equal(anonymous, 401);
  };
  const [success, error, noOpinion, certificates] = Object.values(await growth(does, names));
  t.equal(success, 3, 'two, and the one that reads the metrics');
  t.same([error, noOpinion], [1, 1]);
  t.equal(certificates, 3);
});

/** Sends a request without a client certificate, and returns the status. */
async function fetchAs(authorization: string): Promise<number> {
  const { host, port, pki } = server;
  const headers = { authorization };
  const request = https.get({ host, port, path: configMaps, agent: false, ca: pki.authority.certificate, headers });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}

t.test('stored objects and storage requests are counted', async t => {
  const names = [
    'apiserver_resource_objects{group="",resource="configmaps"}',
    'apiserver_storage_objects{resource="configmaps"}',
    'etcd_requests_total{operation="create",group="",resource="configmaps"}',
    'etcd_request_duration_seconds_count{operation="update",group="",resource="configmaps"}',
  ];
  const does = async (): Promise<void> => {
    await ask(`POST ${configMaps}`, { body: { metadata: { name: 'stored' } } });
    await ask(`PUT ${configMaps}/stored`, { body: { metadata: { name: 'stored' }, data: { a: '1' } } });
  };
  t.same(Object.values(await growth(does, names)), [1, 1, 1, 1]);
});

t.test('the watch cache is measured', async t => {
  const kind = 'group="",resource="configmaps"';
  const make = (name: string, labels: object = {}): Promise<unknown> =>
    ask(`POST ${configMaps}`, { body: { metadata: { name, labels } } });
  await make('cached-a', { only: 'a' });
  await ask(`GET ${configMaps}?resourceVersion=0`);
  const names = [
    `apiserver_watch_cache_events_received_total{${kind}}`,
    `apiserver_watch_cache_events_dispatched_total{${kind}}`,
    `apiserver_storage_events_received_total{${kind}}`,
    `apiserver_watch_cache_initializations_total{${kind}}`,
    `apiserver_watch_cache_read_wait_seconds_count{${kind}}`,
    `apiserver_watch_cache_consistent_read_total{${kind},success="true",fallback="false"}`,
    `apiserver_cache_list_total{${kind},index=""}`,
    `apiserver_cache_list_returned_objects_total{${kind}}`,
    `apiserver_terminated_watchers_total{${kind}}`,
  ];
  const does = async (): Promise<void> => {
    await make('cached-b');
    await ask(`GET ${configMaps}?labelSelector=only%3Da`);
  };
  t.same(Object.values(await growth(does, names)), [1, 1, 1, 0, 1, 1, 1, 1, 0]);
  const now = await counted();
  const { text } = await ask(`GET ${configMaps}`);
  const { resourceVersion } = (JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata;
  t.equal(now.get(`apiserver_watch_cache_resource_version{${kind}}`), Number(resourceVersion));
  t.ok((now.get('apiserver_storage_size_bytes{storage_cluster_id="embedded-0"}') ?? 0) > 1000);
});

t.test('lists of the store and initial events are counted', async t => {
  const things = 'group="",resource="limitranges"';
  const ranges = '/api/v1/namespaces/default/limitranges';
  const make = async (name: string, labels: object = {}): Promise<string> => {
    const { json } = await ask(`POST ${ranges}`, { body: { metadata: { name, labels }, spec: { limits: [] } } });
    t.equal(json.kind, 'LimitRange', json.message);
    return json.metadata.resourceVersion;
  };
  const first = await make('a', { only: 'a' });
  const second = await make('b');
  const list = `apiserver_storage_list_`;
  const names = [
    ...['total', 'fetched_objects_total', 'evaluated_objects_total', 'returned_objects_total'].map(name => list + name),
    'apiserver_cache_list_returned_objects_total',
    'apiserver_init_events_total',
  ].map(name => `${name}{${things}}`);
  const watch = (query: string): Promise<unknown> => ask(`GET ${ranges}?watch=1&timeoutSeconds=1&${query}`);
  t.ok(((await counted()).get(names[0] ?? '') ?? 0) > 0, 'the cache was filled');
  const rows: readonly { readonly query: string; readonly expect: number }[] = [
    { query: 'resourceVersion=0', expect: 2 },
    { query: 'fieldSelector=metadata.name%3Da', expect: 1 },
    { query: `resourceVersion=${first}`, expect: 1 },
    { query: `resourceVersion=${second}`, expect: 0 },
  ];
  for (const { query, expect } of rows)
    t.same(Object.values(await growth(() => watch(query), names)), [0, 0, 0, 0, 0, expect], query);
});

t.test('recent admission durations have quantiles', async t => {
  const name = 'apiserver_admission_step_admission_duration_seconds_summary';
  const labels = 'type="admit",operation="CREATE",rejected="false"';
  const create = (): Promise<unknown> => ask(`POST ${configMaps}`, { body: { metadata: { name: 'lately' } } });
  t.same(await growth(create, [`${name}_count{${labels}}`]), { [`${name}_count{${labels}}`]: 1 });
  const now = await counted();
  const [half, most] = ['0.5', '0.99'].map(quantile => now.get(`${name}{${labels},quantile="${quantile}"}`) ?? 0);
  t.ok(half && most && half > 0 && most >= half && most < 60, `${half}, ${most}`);
});

t.test('the size of the etcd database is reported', { skip: withoutEtcd }, async t => {
  const { endpoint } = await startEtcd(t);
  const server = await runningServer(t, { storage: { type: 'etcd', etcd: { endpoints: [endpoint] } } });
  const { text } = await httpClient(t, server)('GET /metrics');
  const size = /\napiserver_storage_size_bytes\{storage_cluster_id="etcd-0"\} (\d+)\n/.exec(text)?.[1];
  t.ok(Number(size) > 10_000, String(size));
});

t.test('an APIService without a server is unavailable', async t => {
  const body = {
    metadata: { name: 'v1.gone.example.com' },
    spec: {
      ...{ group: 'gone.example.com', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1 },
      service: { namespace: 'default', name: 'gone' },
      insecureSkipTLSVerify: true,
    },
  };
  t.equal((await ask('POST /apis/apiregistration.k8s.io/v1/apiservices', { body })).status, 201);
  const gauge = 'aggregator_unavailable_apiservice{name="v1.gone.example.com"}';
  let now = await counted();
  while (now.get(gauge) !== 1) now = await counted();
  const total = 'aggregator_unavailable_apiservice_total{name="v1.gone.example.com",reason="ServiceNotFound"}';
  t.equal(now.get(total), 1);
  t.equal(now.get('aggregator_unavailable_apiservice{name="v1.apps"}'), 0);
  await ask('DELETE /apis/apiregistration.k8s.io/v1/apiservices/v1.gone.example.com');
  while (now.has(gauge)) now = await counted();
  t.pass('the series is removed with the APIService');
});

t.test('failed TLS handshakes are counted', async t => {
  const before = (await counted()).get('apiserver_tls_handshake_errors_total') ?? 0;
  const socket = net.connect(server.port, server.host);
  socket.on('error', () => undefined).end('GET / HTTP/1.1\r\n\r\n');
  await once(socket.resume(), 'close');
  let now = before;
  while (now === before) now = (await counted()).get('apiserver_tls_handshake_errors_total') ?? 0;
  t.equal(now, before + 1);
});

t.test('process metrics are reported', async t => {
  const now = await counted();
  t.ok((now.get('process_cpu_seconds_total') ?? 0) > 0.1);
  t.ok((now.get('process_resident_memory_bytes') ?? 0) > 2 ** 25);
  t.ok((now.get('nodejs_heap_size_used_bytes') ?? 0) > 2 ** 23);
  const lag = now.get('nodejs_eventloop_lag_p50_seconds') ?? NaN;
  t.ok(lag >= 0 && lag < 60, 'in seconds, without the sampling interval');
  t.ok(Math.abs(Date.now() / 1000 - process.uptime() - (now.get('process_start_time_seconds') ?? 0)) < 5);
  if (process.platform !== 'linux') return;
  t.ok((now.get('process_open_fds') ?? 0) > 3);
  t.ok((now.get('process_max_fds') ?? 0) > 100);
  t.ok((now.get('process_virtual_memory_bytes') ?? 0) > 2 ** 25);
});
