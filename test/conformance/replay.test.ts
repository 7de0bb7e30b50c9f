/** The areas that agree with kube-apiserver, so that they stay so; the rest stands in docs/conformance.md. */
import t from 'tap';
import { kubeconfigEndpoint } from '../../aggregation/remote/kubeconfig.js';
import { runningServer } from '../apiserver/running.js';
import { converse } from './call.js';
import { mask, withoutAges } from './mask.js';
import { area, replayArea } from './replay.js';

/** What does not agree yet, by area. A name leaves this list when it does. */
const open: Readonly<Record<string, readonly string[]>> = {
  apply: ['yaml-broken', 'service/ports', 'hpa/versions'],
  authz: ['forbidden/api'],
  discovery: ['wellknown'],
  fieldvalidation: ['strategic/Strict', 'strategic/Warn', 'strategic/default'],
  listwatch: [
    'podfields/spec.nodeName=',
    'podfields/status.phase=Pending',
    'podfields/spec.restartPolicy=Always',
    'podfields/spec.schedulerName=default-scheduler',
    'podfields/spec.serviceAccountName=',
    'podfields/spec.hostNetwork=false',
    'podfields/status.podIP=',
    'podfields/status.nominatedNodeName=',
    'rv/list?resourceVersion=1&resourceVersionMatch=Exact',
  ],
  metadata: [
    'names/service/aaaaaaaaaaaa-63',
    'names/service/aaaaaaaaaaaa-64',
    'names/service/1a-2',
    'names/role/system:x',
    'create/cluster-with-namespace',
    'update/rv-bad',
    'update/immutable-data',
    'delete/grace-negative',
    'delete/pod-scheduled',
    'status/invalid',
    'routes/GET /api/v1/namespaces/{ns}/pods/missing/log',
    'limits/1MiB-configmap',
  ],
  patch: ['strategic/topology', 'strategic/service-ports', 'strategic/pod-immutable'],
};

t.test('recorded conversations', async t => {
  const served = await runningServer(t);
  const server = converse(kubeconfigEndpoint(served.kubeconfig), 'corpus/1.0');
  t.teardown(() => server.close());
  for (const [name, known] of Object.entries(open)) {
    const results = await replayArea(server, area(name), each => !known.includes(each));
    t.ok(results.length > 20, `${name}: ${results.length} conversations`);
    let wrong = results.filter(({ problems }) => problems.length > 0);
    // Each was recorded within a second, and times on the wire are whole seconds: one that crosses a second is held again.
    for (let again = 0; again < 2 && wrong.length > 0; again++) {
      const names = new Set(wrong.map(({ name }) => name));
      const repeated = await replayArea(server, area(name), each => names.has(each));
      wrong = repeated.filter(({ problems }) => problems.length > 0);
    }
    t.same(wrong, [], name);
  }
});

t.test('what is masked', async t => {
  const table = [
    { name: 'a uid', given: { uid: '0e4d2f52-0d13-4c39-9ef9-0f6d4c1e1d54' }, expect: { uid: '{uid}' } },
    { name: 'a version', given: { resourceVersion: '17' }, expect: { resourceVersion: '{rv}' } },
    { name: 'not the version 0', given: { resourceVersion: '0' }, expect: { resourceVersion: '0' } },
    { name: 'a time in a text', given: ['at 2026-01-02T03:04:05Z'], expect: ['at {time}'] },
    {
      name: 'a generated name',
      given: { generateName: 'a-', name: 'a-x' },
      expect: { generateName: 'a-', name: '{generated}' },
    },
    { name: 'a variable in a key', given: { 'c-1/x': 1 }, expect: { '{ns}/x': 1 } },
    { name: 'a port', given: { nodePort: 30001 }, expect: { nodePort: '{port}' } },
  ];
  for (const { name, given, expect } of table) t.strictSame(mask(given, { ns: 'c-1' }), expect, name);
  const aged = {
    kind: 'Table',
    columnDefinitions: [{ name: 'Name' }, { name: 'Age' }],
    rows: [{ cells: ['1s', '2s'] }],
  };
  t.match(withoutAges(aged), { rows: [{ cells: ['1s', '{age}'] }] });
});
