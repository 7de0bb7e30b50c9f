/**
 * Discovery, aggregated and per group; the version; tables. as test/e2e/apimachinery aggregated_discovery.go, discovery.go, server_version.go,
 * table_conversion.go
 */
import t from 'tap';
import { until } from '../../storage/until.js';
import { definition } from './definition.js';
import { kit } from './kit.js';
import { runningControlPlane } from './running-control-plane.js';

interface Discovered {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources?: readonly { readonly resource: string; readonly responseKind: { kind: string } }[];
    }[];
  }[];
}

interface Group {
  readonly name: string;
  readonly versions: readonly { readonly groupVersion: string; readonly version: string }[];
  readonly preferredVersion: { readonly groupVersion: string };
}

/** Resources that discovery must have at least. */
const expected: readonly string[] = [
  '/v1/namespaces',
  '/v1/pods',
  'admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  'apiextensions.k8s.io/v1/customresourcedefinitions',
  'apiregistration.k8s.io/v1/apiservices',
  'apps/v1/deployments',
  'authentication.k8s.io/v1/tokenreviews',
  'authorization.k8s.io/v1/selfsubjectaccessreviews',
  'autoscaling/v1/horizontalpodautoscalers',
  'autoscaling/v2/horizontalpodautoscalers',
  'batch/v1/jobs',
  'certificates.k8s.io/v1/certificatesigningrequests',
  'coordination.k8s.io/v1/leases',
  'discovery.k8s.io/v1/endpointslices',
  'events.k8s.io/v1/events',
  'networking.k8s.io/v1/ingresses',
  'node.k8s.io/v1/runtimeclasses',
  'policy/v1/poddisruptionbudgets',
  'scheduling.k8s.io/v1/priorityclasses',
  'storage.k8s.io/v1/csinodes',
];

const aggregated = 'application/json;v=v2;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList';

const server = await runningControlPlane(t);
const { ask, of, read } = kit(t, server);

/** Returns `group/version/resource` of everything in the aggregated documents. */
async function discovered(accept: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const path of ['/api', '/apis']) {
    const answer = await ask(`GET ${path}`, { accept });
    if (!/\bas=APIGroupDiscoveryList\b/.test(String(answer.headers['content-type']))) throw new Error(answer.text);
    for (const { metadata, versions } of (answer.json as unknown as Discovered).items)
      for (const { version, resources = [] } of versions)
        for (const { resource } of resources) found.add(`${metadata.name ?? ''}/${version}/${resource}`);
  }
  return found;
}

/** The Accept header of client-go's discovery client, which prefers the newest form and accepts plain documents. */
const clientGo = `${aggregated},application/json;v=v2beta1;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList,application/json`;

for (const [name, accept] of Object.entries({ 'raw documents': aggregated, 'as clients ask': clientGo }))
  await t.test(`aggregated discovery, ${name}`, async t => {
    const found = await discovered(accept);
    for (const each of expected) t.ok(found.has(each), each);
    const { name: plural, group, draft } = definition('aggregated');
    await of('apiextensions.k8s.io/v1/customresourcedefinitions').create(draft);
    await until('the new resource', async () => (await discovered(accept)).has(`${group}/v1/${plural}`));
    await of('apiextensions.k8s.io/v1/customresourcedefinitions').remove(`${plural}.${group}`);
    await until('its end', async () => !(await discovered(accept)).has(`${group}/v1/${plural}`));
  });

t.test('the preferred version of each group is served', async t => {
  const { groups } = (await read('/apis/')) as unknown as { groups: readonly Group[] };
  t.ok(groups.length > 15);
  for (const { name } of groups) {
    const { versions, preferredVersion } = (await read(`/apis/${name}/`)) as unknown as Group;
    t.ok(
      versions.some(({ groupVersion }) => groupVersion === preferredVersion.groupVersion),
      name,
    );
  }
});

t.test('each group version lists its resources', async t => {
  for (const each of expected) {
    const [group = '', version = '', resource] = each.split('/');
    const groupVersion = group === '' ? version : `${group}/${version}`;
    const list = await read(group === '' ? `/api/${version}` : `/apis/${groupVersion}`);
    t.equal(list['groupVersion'], groupVersion);
    const { resources } = list as unknown as { resources: readonly { name: string }[] };
    t.ok(
      resources.some(({ name }) => name === resource),
      each,
    );
  }
});

t.test('definitions of custom resources are discovered', async t => {
  const { groups } = (await read('/apis')) as unknown as { groups: readonly Group[] };
  const [group, version] = ['apiextensions.k8s.io', { groupVersion: 'apiextensions.k8s.io/v1', version: 'v1' }];
  t.match(groups.find(({ name }) => name === group)?.versions, [version]);
  t.match(await read(`/apis/${group}`), { name: group, versions: [version] });
});

t.test('the server has a version', async t => {
  t.match(await read('/version'), { major: /^[1-9]$/, minor: /^\d+\+?$/, gitVersion: /^v\d+\.\d+\.\d+/ });
});

t.test('an object without metadata as a table is 406', async t => {
  const answer = await ask('POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    body: { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } },
  });
  t.equal(answer.status, 406);
  t.match(answer.json, { kind: 'Status', reason: 'NotAcceptable', code: 406 });
});
