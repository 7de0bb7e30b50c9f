/** Discovery, columns, selectors and what is there from the start, row by row of what Kubernetes 1.36 was seen to do. */
import os from 'node:os';
import t from 'tap';
import { runningServer } from '../apiserver/running.js';
import { kindFacts } from './kind-facts.js';
import { batch, core, scene, table } from './kind-scene.js';
import { type Wired, merge, wire } from './wire.js';

const allVerbs = 'create,delete,deletecollection,get,list,patch,update,watch';

t.test('KND-001 to KND-068: discovery and columns', async t => {
  const { ask } = await scene(t);
  const { send } = wire(t, await runningServer(t, { profile: 'kubernetes' }));
  for (const row of kindFacts) {
    const [id = '', names = '', shorts = '', categories = '', rest = '', ...columns] = row
      .split(/ \|(?!\|) ?/)
      .map(part => part.trim());
    const words = names.split(' ');
    const version = words[0]?.includes('/') ? (words.shift() ?? '') : 'v1';
    const [plural = '', kind = '', cluster] = words;
    const path = version === 'v1' ? '/api/v1' : `/apis/${version}`;
    const { object: list } = await ask(`GET ${path}`);
    const resources = list['resources'] as { name: string; verbs: string[] }[];
    const verbs = /verbs (\S+)/.exec(rest)?.[1] ?? allVerbs;
    const listOf = (text: string): string[] | undefined => (text === '' ? undefined : text.split(','));
    const found = resources.find(({ name }) => name === plural);
    t.match(
      found,
      { kind, singularName: kind.toLowerCase(), namespaced: cluster === undefined, verbs: verbs.split(',') },
      id,
    );
    const { shortNames, categories: in_ } = found as unknown as { shortNames?: string[]; categories?: string[] };
    t.same([shortNames, in_], [listOf(shorts), listOf(categories)], `${id} names`);
    const parts = resources
      .filter(({ name }) => name.startsWith(`${plural}/`))
      .map(({ name, verbs }) => `${name.slice(plural.length + 1)}(${verbs.join()})`);
    const wanted = rest
      .replace(/ ?verbs \S+/, '')
      .split(' ')
      .filter(part => part !== '')
      .map(part => (part.includes('(') ? part : `${part}(get,patch,update)`));
    t.same(parts.sort(), wanted.sort(), `${id} subresources`);
    const shown = columns.join('|').trim();
    if (shown === '-' || shown === '') continue;
    const [plain = '', wide = ''] = shown.split('||');
    const expected = [plain, wide].flatMap((part, priority) =>
      part
        .split(',')
        .filter(name => name.trim() !== '')
        .map(name => {
          const [title, type = 'string'] = name.trim().split(':');
          return `${title} ${type} ${priority}`;
        }),
    );
    const { object } = await send(`GET ${path}/${plural}?limit=1`, { accept: table });
    const definitions = object['columnDefinitions'] as { name: string; type: string; priority: number }[];
    // Those that are shown wide stand among the others.
    const shownColumns = [0, 1].flatMap(wanted => definitions.filter(({ priority }) => priority === wanted));
    t.same(
      shownColumns.map(({ name, type, priority }) => `${name} ${type} ${priority}`),
      expected,
      `${id} columns`,
    );
  }
});

t.test('KND-140, KND-150 to KND-153: field selectors, and what is there from the start', async t => {
  const { ask } = await scene(t);
  const known: Record<string, readonly string[]> = {
    [`${core}/pods`]: [
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'spec.hostNetwork',
      'status.phase',
      'status.podIP',
      'status.podIPs',
      'status.nominatedNodeName',
    ],
    '/api/v1/nodes': ['spec.unschedulable'],
    [`${core}/replicationcontrollers`]: ['status.replicas'],
    '/api/v1/namespaces': ['status.phase'],
    [`${core}/secrets`]: ['type'],
    [`${core}/services`]: ['spec.clusterIP', 'spec.type'],
    [`${batch}/jobs`]: ['status.successful'],
    '/apis/certificates.k8s.io/v1/certificatesigningrequests': ['spec.signerName'],
    '/apis/resource.k8s.io/v1/resourceslices': ['spec.nodeName', 'spec.driver'],
    [`${core}/events`]: ['involvedObject.kind', 'involvedObject.uid', 'reason', 'reportingComponent', 'source', 'type'],
    '/apis/events.k8s.io/v1/namespaces/default/events': [
      'regarding.kind',
      'regarding.name',
      'reason',
      'reportingController',
      'type',
    ],
  };
  for (const [path, fields] of Object.entries(known)) {
    for (const field of fields)
      t.equal((await ask(`GET ${path}?fieldSelector=${field}%3Dx`)).status, 200, `${path} ${field}`);
    t.equal((await ask(`GET ${path}?fieldSelector=spec.other%3Dx`)).status, 400, `${path} others`);
  }
  const names = async (path: string): Promise<string[]> =>
    ((await ask(`GET ${path}`)).object.items ?? []).map(({ metadata }: Wired) => metadata.name ?? '');
  t.match(await names('/api/v1/namespaces'), ['default', 'kube-node-lease', 'kube-public', 'kube-system']);
  t.match((await ask('GET /apis/scheduling.k8s.io/v1/priorityclasses')).object.items, [
    {
      metadata: { name: 'system-cluster-critical' },
      ...{ value: 2000000000, description: /can be moved to another node if necessary\.$/ },
    },
    {
      metadata: { name: 'system-node-critical' },
      ...{ value: 2000001000, description: /must not be moved from their current node\.$/ },
    },
  ]);
  const service = (await ask(`GET ${core}/services/kubernetes`)).object;
  t.match(service, {
    metadata: { labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: { ports: [{ port: 443, name: 'https' }] },
  });
  t.equal((await ask('GET /apis/networking.k8s.io/v1/servicecidrs/kubernetes')).status, 200);
  t.ok((await names('/api/v1/namespaces/kube-system/configmaps')).includes('extension-apiserver-authentication'));
  const system = '/api/v1/namespaces/kube-system';
  const tracking = (await ask(`GET ${system}/configmaps/kube-apiserver-legacy-service-account-token-tracking`)).object;
  t.match(tracking, { data: { since: /^\d{4}-\d\d-\d\d$/ } }, 'KND-152');
  const identities = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
  const { items: leases = [] } = (await ask(`GET ${identities}`)).object;
  t.match(leases, [
    {
      metadata: {
        name: /^apiserver-[a-z2-7]{26}$/,
        labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': os.hostname() },
      },
      spec: { leaseDurationSeconds: 3600, holderIdentity: /^apiserver-[a-z2-7]{26}_[\da-f-]{36}$/ },
    },
  ]);
  t.equal(leases.length, 1, 'KND-152');
  t.same(await names('/api/v1/serviceaccounts'), [], 'KND-152: those come from the controllers');

  const served = async (path: string): Promise<string[]> =>
    ((await ask(`GET ${path}`)).object['resources'] as { name: string }[]).map(({ name }) => name);
  const unused = {
    '/api/v1': ['componentstatuses', 'podtemplates', 'replicationcontrollers', 'replicationcontrollers/scale'],
    '/apis/resource.k8s.io/v1': ['deviceclasses', 'resourceclaims', 'resourceclaimtemplates', 'resourceslices'],
    '/apis/flowcontrol.apiserver.k8s.io/v1': ['flowschemas', 'prioritylevelconfigurations'],
    '/apis/node.k8s.io/v1': ['runtimeclasses'],
    '/apis/scheduling.k8s.io/v1': ['priorityclasses'],
  };
  const groups = (await ask('GET /apis')).object['groups'] as { versions: { groupVersion: string }[] }[];
  const versions = groups.flatMap(group => group.versions.map(({ groupVersion }) => `/apis/${groupVersion}`));
  for (const [path, plurals] of Object.entries(unused)) {
    t.ok(path === '/api/v1' || versions.includes(path), `KND-153 ${path}`);
    const found = new Set(await served(path));
    t.same(
      plurals.filter(plural => !found.has(plural)),
      [],
      `KND-153 kinds of ${path}`,
    );
  }
});

t.test('KND-140: what fields select', async t => {
  const { ask } = await scene(t);
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await ask(`POST ${core}/serviceaccounts`, account);
  const about = {
    ...{ kind: 'Pod', namespace: 'default', name: 'p', uid: 'u', apiVersion: 'v1' },
    ...{ resourceVersion: '7', fieldPath: 'spec.containers{c}' },
  };
  const containers = [{ name: 'c', image: 'i' }];
  const resources = '/apis/resource.k8s.io/v1/resourceslices';
  const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };
  const events = '/apis/events.k8s.io/v1/namespaces/default/events';
  const prefixed = (prefix: string) =>
    Object.fromEntries(Object.entries(about).map(([field, value]) => [`${prefix}.${field}`, value]));
  const source = { component: 'a', host: 'h' };
  const cases: readonly {
    readonly path: string;
    readonly given?: object;
    readonly expect: Readonly<Record<string, string>>;
  }[] = [
    {
      path: `${core}/pods`,
      given: {
        kind: 'Pod',
        spec: { containers, nodeName: 'n', restartPolicy: 'Never', schedulerName: 's', hostNetwork: true },
      },
      expect: {
        ...{ 'spec.nodeName': 'n', 'spec.restartPolicy': 'Never', 'spec.schedulerName': 's' },
        ...{ 'spec.serviceAccountName': 'default', 'spec.hostNetwork': 'true', 'status.phase': 'Pending' },
        ...{ 'status.podIP': '', 'status.podIPs': '', 'status.nominatedNodeName': '', 'metadata.name': 'x' },
      },
    },
    {
      path: '/api/v1/nodes',
      given: { kind: 'Node', spec: { unschedulable: true } },
      expect: { 'spec.unschedulable': 'true' },
    },
    {
      path: `${core}/replicationcontrollers`,
      given: {
        kind: 'ReplicationController',
        spec: { template: { metadata: { labels: { a: 'b' } }, spec: { containers } } },
      },
      expect: { 'status.replicas': '0' },
    },
    { path: '/api/v1/namespaces', given: { kind: 'Namespace' }, expect: { 'status.phase': 'Active' } },
    { path: `${core}/secrets`, given: { kind: 'Secret', type: 'a' }, expect: { type: 'a' } },
    {
      path: `${core}/services`,
      given: { kind: 'Service', spec: { clusterIP: 'None' } },
      expect: { 'spec.clusterIP': 'None', 'spec.type': 'ClusterIP' },
    },
    {
      path: `${batch}/jobs`,
      given: { kind: 'Job', spec: { template: { spec: { containers, restartPolicy: 'Never' } } } },
      expect: { 'status.successful': '0' },
    },
    {
      path: resources,
      given: { kind: 'ResourceSlice', spec: { driver: 'a.b', nodeName: 'n', pool } },
      expect: { 'spec.nodeName': 'n', 'spec.driver': 'a.b' },
    },
    {
      path: `${core}/events`,
      given: { kind: 'Event', involvedObject: about, reason: 'r', type: 'Normal', source, reportingComponent: 'c' },
      expect: { ...prefixed('involvedObject'), reason: 'r', reportingComponent: 'c', source: 'a', type: 'Normal' },
    },
    { path: events, expect: { ...prefixed('regarding'), reason: 'r', reportingController: 'c', type: 'Normal' } },
  ];
  for (const { path, given, expect } of cases) {
    const [, root, group = '', version = ''] = path.split('/');
    const apiVersion = root === 'api' ? group : `${group}/${version}`;
    const made = given && (await ask(`POST ${path}`, { apiVersion, metadata: { name: 'x' }, ...given }));
    if (made) t.equal(made.status, 201, `${path} ${made.object.message ?? ''}`);
    for (const [field, value] of Object.entries(expect)) {
      const chosen = async (by: string): Promise<boolean> => {
        const { items = [] } = (await ask(`GET ${path}?fieldSelector=${encodeURIComponent(`${field}${by}`)}`)).object;
        return items.some(({ metadata }) => metadata.name === 'x');
      };
      t.equal(await chosen(`=${value}`), true, `${path} ${field}`);
      t.equal(await chosen(`!=${value}`), false, `${path} ${field}, other values`);
      t.equal(await chosen('=other'), false, `${path} ${field}, another value`);
    }
  }
});

t.test('KND-120: namespaces', async t => {
  const { ask } = await scene(t);
  const namespaces = '/api/v1/namespaces';
  const body = (name: string, more: object = {}) => ({
    ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    ...more,
  });
  const refused = {
    'a.b': 'must not contain dots',
    A: 'a lowercase RFC 1123 label must consist of',
    ['n'.repeat(64)]: 'must be no more than 63 characters',
  };
  for (const [name, why] of Object.entries(refused)) {
    const answer = await ask(`POST ${namespaces}`, body(name));
    t.match([answer.status, answer.object.message], [422, `metadata.name: Invalid value: "${name}": ${why}`]);
  }
  const held = { spec: { finalizers: ['kubernetes', 'example.com/held'] } };
  t.match((await ask(`POST ${namespaces}`, body('mine', held))).object, held);
  const path = `${namespaces}/mine`;
  t.match((await ask(`PUT ${path}`, body('mine', { spec: { finalizers: [] } }))).object, held, 'a PUT leaves them');
  const patched = await ask(`PATCH ${path}`, { spec: { finalizers: null } }, merge);
  t.match(patched.object, held, 'so does a patch');
  const fewer = { spec: { finalizers: ['kubernetes'] } };
  const finalized = await ask(`PUT ${path}/finalize`, body('mine', fewer));
  t.strictSame(finalized.object['spec'], fewer.spec, 'finalize takes them away');
  const bad = await ask(`PUT ${path}/finalize`, body('mine', { spec: { finalizers: ['plain'] } }));
  t.equal(bad.status, 422, 'a name that is not qualified');
  const put = await ask(`PUT ${path}`, body('mine', { metadata: { name: 'mine', labels: { a: 'b' } } }));
  t.same(put.object.metadata.labels, { a: 'b', 'kubernetes.io/metadata.name': 'mine' });
});

t.test('KND-141: by node and by name, with whatever else is asked', async t => {
  const { ask } = await scene(t);
  const pod = (name: string, nodeName: string, labels: object) => ({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, labels } },
    spec: { nodeName, containers: [{ name: 'c', image: 'i' }] },
  });
  await ask(`POST ${core}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default' },
  });
  for (const [name, node, app] of [
    ['a', 'n1', 'x'],
    ['b', 'n2', 'x'],
    ['c', 'n1', 'y'],
  ] as const)
    t.equal((await ask(`POST ${core}/pods`, pod(name, node, { app }))).status, 201);
  for (const name of ['s1', 's2'])
    for (const kind of ['Secret', 'ConfigMap'])
      await ask(`POST ${core}/${kind.toLowerCase()}s`, {
        ...{ apiVersion: 'v1', kind, metadata: { name, labels: { app: name } } },
      });
  const asked: readonly (readonly [string, readonly string[]])[] = [
    ['pods?fieldSelector=spec.nodeName=n1', ['a', 'c']],
    ['pods?fieldSelector=spec.nodeName=n1&resourceVersion=0', ['a', 'c']],
    ['pods?fieldSelector=spec.nodeName=n1&labelSelector=app=x', ['a']],
    ['pods?fieldSelector=spec.nodeName=n1,metadata.name!=a', ['c']],
    ['pods?fieldSelector=spec.nodeName!=n1', ['b']],
    ['pods?fieldSelector=spec.nodeName=', []],
    ['secrets?fieldSelector=metadata.name=s1', ['s1']],
    ['secrets?fieldSelector=metadata.name=s1&labelSelector=app=s2', []],
    ['configmaps?fieldSelector=metadata.name=s2&resourceVersion=0', ['s2']],
    ['configmaps?fieldSelector=metadata.name=s2,metadata.name=s1', []],
  ];
  for (const [path, expect] of asked) {
    const { items } = (await ask(`GET ${core}/${path}`)).object;
    t.same(
      (items ?? []).map(({ metadata }: Wired) => metadata.name),
      expect,
      path,
    );
  }
});
