import { Registry } from 'prom-client';
import t from 'tap';
import { serverMetrics } from '../../../apiserver/metrics/request-metrics.js';

const plain = { dryRun: false, systemClient: '', waitedMs: 0 };

t.test('requests are counted under the names and labels of kube-apiserver', async t => {
  const registry = new Registry();
  const metrics = serverMetrics(registry);
  const labels = {
    verb: 'GET',
    group: '',
    version: 'v1',
    resource: 'pods',
    subresource: '',
    scope: 'resource',
  } as const;
  const get = metrics.route(labels);
  get.done(200, 0.003, 1500, plain);
  get.done(200, 0.03, 500, plain);
  get.done(404, 0.001, 100, plain);
  const post = metrics.route({ ...labels, verb: 'POST' });
  get.done(200, 0.5, 100, { dryRun: false, systemClient: 'kube-scheduler', waitedMs: 460 });
  post.done(201, 0.001, 10, { ...plain, dryRun: true });
  const watch = metrics.route({ ...labels, verb: 'WATCH' });
  const end = watch.longRunning();
  watch.longRunning();
  watch.watchEvent(2000);
  end(200, 1.5, plain);
  const text = await registry.metrics();
  const of = (verb: string): string =>
    `{verb="${verb}",group="",version="v1",resource="pods",subresource="",scope="resource",component="apiserver"`;
  const expected = [
    '# TYPE apiserver_request_total counter',
    `apiserver_request_total${of('GET')},dry_run="",code="200",system_client=""} 2`,
    `apiserver_request_total${of('GET')},dry_run="",code="404",system_client=""} 1`,
    `apiserver_request_total${of('POST')},dry_run="All",code="201",system_client=""} 1`,
    `apiserver_request_total${of('WATCH')},dry_run="",code="200",system_client=""} 1`,
    `apiserver_request_total${of('GET')},dry_run="",code="200",system_client="kube-scheduler"} 1`,
    '# TYPE apiserver_request_duration_seconds histogram',
    `apiserver_request_duration_seconds_bucket${of('GET')},dry_run="",le="0.005"} 2`,
    `apiserver_request_duration_seconds_bucket${of('GET')},dry_run="",le="0.05"} 3`,
    `apiserver_request_duration_seconds_bucket${of('GET')},dry_run="",le="+Inf"} 4`,
    `apiserver_request_duration_seconds_sum${of('GET')},dry_run=""} 0.534`,
    `apiserver_request_duration_seconds_count${of('GET')},dry_run=""} 4`,
    `apiserver_request_duration_seconds_count${of('WATCH')},dry_run=""} 1`,
    `apiserver_request_sli_duration_seconds_bucket${of('GET')},le="0.05"} 4`,
    `apiserver_response_sizes_bucket${of('GET')},le="1000"} 3`,
    '# TYPE apiserver_longrunning_requests gauge',
    `apiserver_longrunning_requests${of('WATCH')}} 1`,
    'apiserver_watch_events_total{group="",version="v1",resource="pods"} 1',
    'apiserver_watch_events_sizes_bucket{group="",version="v1",resource="pods",le="2048"} 1',
  ];
  for (const line of expected) t.ok(text.split('\n').includes(line), line);
  t.notMatch(text, /sli_duration[^\n]*POST/, 'dry runs are not in the SLI');
  t.notMatch(text, /response_sizes[^\n]*POST/, 'response sizes are for reads only');
});

t.test('a route with the same labels uses the existing series', async t => {
  const registry = new Registry();
  const metrics = serverMetrics(registry);
  const labels = { verb: 'WATCH', group: '', version: 'v1', resource: 'pods', subresource: '' } as const;
  for (const scope of ['namespace', 'cluster', 'cluster'] as const) {
    const route = metrics.route({ ...labels, scope });
    route.watchEvent(1);
    route.done(200, 0.001, 10, plain);
  }
  const lines = (await registry.metrics()).split('\n').filter(line => line !== '' && !line.startsWith('#'));
  const names = lines.map(line => line.replace(/ \S+$/, ''));
  t.same(
    names.filter((name, i) => names.indexOf(name) !== i),
    [],
    'no series is listed twice',
  );
  t.ok(lines.includes('apiserver_watch_events_total{group="",version="v1",resource="pods"} 3'));
});
