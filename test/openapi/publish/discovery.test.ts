import t from 'tap';
import { aggregatedDiscovery } from '../../../openapi/publish/aggregated.js';
import { coreVersions, groupDiscovery, groupList, resourceList } from '../../../openapi/publish/discovery.js';
import { groupVersions } from '../../../openapi/publish/group-versions.js';
import type { RemoteGroupVersion } from '../../../openapi/publish/interface.js';
import { recorded } from '../../data.js';
import { custom, nativePublished, sourceOf } from './sources.js';

interface Versions {
  name?: string;
  metadata?: { name: string };
  versions: { version: string; resources?: unknown }[];
}

const upstream = recorded('upstream/discovery.json') as Record<string, Record<string, unknown>>;
const described = (group: string, version: string): boolean => `apis/${group}/${version}` in upstream;
/** Removes alpha versions, which upstream lists, but does not describe. */
const withoutAlpha = (groups: readonly Versions[]): Versions[] =>
  groups
    .map(g => ({ ...g, versions: g.versions.filter(v => described(g.name ?? g.metadata?.name ?? '', v.version)) }))
    .filter(g => g.versions.length);

t.test('documents of the native resources are those of kube-apiserver', async t => {
  const entries = groupVersions(sourceOf(nativePublished()));
  t.same(coreVersions(entries, '10.10.10.10:8050'), upstream['api']);
  t.same(groupList(entries), { ...upstream['apis'], groups: withoutAlpha(upstream['apis']?.['groups'] as Versions[]) });
  for (const entry of entries) {
    const path = entry.group === '' ? 'api/v1' : `apis/${entry.group}/${entry.version}`;
    t.same(resourceList(entry), upstream[path], path);
    if (entry.group === '') continue;
    const group = upstream[`apis/${entry.group}`] as unknown as Versions;
    t.same(groupDiscovery(entries, entry.group), withoutAlpha([group])[0], `apis/${entry.group}`);
  }
  const aggregated = upstream['aggregated_v2'];
  t.same(aggregatedDiscovery(entries, 'apis'), {
    ...aggregated,
    items: withoutAlpha(aggregated?.['items'] as Versions[]),
  });
  t.equal(groupDiscovery(entries, ''), undefined);
  t.equal(groupDiscovery(entries, 'nothing.example.com'), undefined);
});

t.test('fields have the order of upstream', async t => {
  const entries = groupVersions(sourceOf(nativePublished(r => r.onByDefault)));
  const { cases } = recorded('corpus/discovery.json') as {
    cases: { name: string; steps: { do: string; want: { status: number; body: unknown } }[] }[];
  };
  let count = 0;
  for (const { steps } of cases)
    for (const step of steps) {
      const [, group = '', version] =
        /^GET \/apis?(?:\/([^/]+\.[^/]+|apps|batch|policy|autoscaling))?(?:\/(v\d\w*))?$/.exec(step.do) ?? [];
      const entry = entries.find(e => e.group === group && e.version === version);
      const document = entry ? resourceList(entry) : version === undefined ? groupDiscovery(entries, group) : undefined;
      if (!document || step.want.status !== 200) continue;
      count++;
      const text = JSON.stringify(document).replaceAll(
        /"storageVersionHash":"[^"]+"/g,
        '"storageVersionHash":"{hash}"',
      );
      t.equal(text, JSON.stringify(step.want.body), step.do);
    }
  t.ok(count > 20, `${count} documents`);
});

t.test('custom resources have their documents of discovery', async t => {
  const crontab = custom({
    group: 'stable.example.com',
    kind: 'CronTab',
    shortNames: ['ct'],
    versions: [
      { name: 'v1', served: true, schema: {}, selectableFields: {} },
      { name: 'v1beta1', served: true, schema: {}, selectableFields: {} },
      { name: 'v2alpha1', served: false, schema: {}, selectableFields: {} },
    ],
    storageVersion: 'v1beta1',
    subresources: {
      scale: { type: 'scale', verbs: ['get', 'patch', 'update'] },
      status: { type: 'part', verbs: ['get', 'patch', 'update'] },
    },
  });
  const unserved = custom({ group: 'stable.example.com', kind: 'Other', storageVersion: 'v2' });
  const entries = groupVersions(sourceOf([...nativePublished(r => r.group === 'apps'), crontab, unserved]));
  const v1 = entries.find(e => e.group === 'stable.example.com' && e.version === 'v1');
  const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
  t.same(v1 && resourceList(v1), {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: 'stable.example.com/v1',
    resources: [
      {
        name: 'crontabs',
        singularName: 'crontab',
        namespaced: true,
        kind: 'CronTab',
        verbs,
        shortNames: ['ct'],
        storageVersionHash: '0ocZBpkKvos=',
      },
      {
        name: 'crontabs/status',
        singularName: '',
        namespaced: true,
        kind: 'CronTab',
        verbs: ['get', 'patch', 'update'],
      },
      {
        name: 'crontabs/scale',
        singularName: '',
        namespaced: true,
        group: 'autoscaling',
        version: 'v1',
        kind: 'Scale',
        verbs: ['get', 'patch', 'update'],
      },
      { name: 'others', singularName: 'other', namespaced: true, kind: 'Other', verbs },
    ],
  });
  t.match(groupList(entries), { groups: [{ name: 'apps' }, { name: 'stable.example.com' }] });
  t.match(groupDiscovery(entries, 'stable.example.com'), {
    preferredVersion: { version: 'v1' },
    versions: [{ version: 'v1' }, { version: 'v1beta1' }],
  });
  const { items } = aggregatedDiscovery(entries, 'apis') as { items: Versions[] };
  t.match(items[1], {
    metadata: { name: 'stable.example.com' },
    versions: [
      {
        version: 'v1',
        freshness: 'Current',
        resources: [
          {
            resource: 'crontabs',
            responseKind: { group: 'stable.example.com', version: 'v1', kind: 'CronTab' },
            scope: 'Namespaced',
            subresources: [
              { subresource: 'status', responseKind: { group: 'stable.example.com', version: 'v1', kind: 'CronTab' } },
              { subresource: 'scale', responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' } },
            ],
          },
          { resource: 'others' },
        ],
      },
      { version: 'v1beta1' },
    ],
  });
});

t.test('groups of other servers are listed, and groups are sorted by priority', async t => {
  const remote: RemoteGroupVersion[] = [
    {
      group: 'metrics.k8s.io',
      version: 'v1beta1',
      priority: { group: 100, version: 100 },
      freshness: 'Stale',
      resources: [],
    },
    {
      group: 'apps',
      version: 'v2',
      priority: { group: 20000, version: 1 },
      freshness: 'Current',
      resources: [{ resource: 'things' }],
    },
  ];
  const first = custom({ group: 'z.example.com', kind: 'Thing' });
  const second = custom({
    group: 'a.example.com',
    kind: 'Thing',
    versions: [{ ...first.versions[0], name: 'v1beta1' } as never],
  });
  const source = sourceOf([...nativePublished(r => r.group === 'apps' || r.group === 'batch'), first, second], {
    remote: () => remote,
    priority: group => (group === 'batch' ? { group: 1, version: 1 } : undefined),
  });
  const entries = groupVersions(source);
  const names = (groups: unknown): string[] =>
    (groups as Versions[]).map(g => `${g.name ?? g.metadata?.name} ${g.versions.map(v => v.version).join()}`);
  t.same(
    names(groupList(entries)['groups']),
    ['apps v1,v2', 'z.example.com v1', 'a.example.com v1beta1', 'metrics.k8s.io v1beta1', 'batch v1'],
    'equal priorities: by the name of the APIService',
  );
  t.same(
    names(aggregatedDiscovery(entries, 'apis')['items']),
    ['apps v1,v2', 'a.example.com v1beta1', 'z.example.com v1', 'metrics.k8s.io v1beta1', 'batch v1'],
    'equal priorities: by the name of the group',
  );
  t.match(aggregatedDiscovery(entries, 'apis'), {
    items: [
      { versions: [{}, { resources: [{ resource: 'things' }], freshness: 'Current' }] },
      {},
      {},
      { versions: [{ freshness: 'Stale' }] },
    ],
  });
});
