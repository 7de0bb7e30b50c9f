/** Field selectors: supported fields and selected objects. */
import t from 'tap';
import type { Wired } from '../../wire.js';
import { containers, once, template } from '../manifests.js';
import { fixture, sharedFixture } from '../fixture.js';

const core = '/api/v1/namespaces/default';

t.test('field selectors support the fields of Kubernetes', async t => {
  const { ask } = await sharedFixture();
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
    ['/apis/batch/v1/namespaces/default/jobs']: ['status.successful'],
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
});

t.test('field selectors select by value', async t => {
  const { ask } = await fixture(t);
  const about = {
    ...{ kind: 'Pod', namespace: 'default', name: 'p', uid: 'u', apiVersion: 'v1' },
    ...{ resourceVersion: '7', fieldPath: 'spec.containers{c}' },
  };
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
      given: { kind: 'ReplicationController', spec: { template } },
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
      path: '/apis/batch/v1/namespaces/default/jobs',
      given: { kind: 'Job', spec: { template: once } },
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

t.test('field selectors by node and name are combined with other parameters', async t => {
  const { ask } = await fixture(t);
  const pod = (name: string, nodeName: string, labels: object) => ({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, labels } },
    spec: { nodeName, containers: [{ name: 'c', image: 'i' }] },
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
