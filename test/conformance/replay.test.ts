/** The areas that agree with kube-apiserver, so that they stay so; the rest stands in docs/conformance.md. */
import t from 'tap';
import { kubeconfigEndpoint } from '../../aggregation/remote/kubeconfig.js';
import { runningServer } from '../apiserver/running.js';
import { converse } from './call.js';
import { mask, withoutAges } from './mask.js';
import { area, replayArea } from './replay.js';

/** What does not agree yet, by area. A name leaves this list when it does. */
const open: Readonly<Record<string, readonly string[]>> = {
  admission: [
    'vap/deny',
    'vap/message',
    'vap/warn',
    'vap/runtime-error',
    'vap/old-object',
    'vap/delete',
    'vap/namespace-object',
    'vap/user',
    'vap/two-fail',
    'webhook/fail-closed',
    'webhook/mutating-fail',
    'webhook/dry-run-side-effects',
    'webhook/object-selector',
  ],
  apply: [],
  authz: ['forbidden/api'],
  crd: [],
  defaults: [
    'v1.replicationcontrollers/minimal/create',
    'v1.replicationcontrollers/minimal/views',
    'v1.replicationcontrollers/minimal/status',
    'apps.v1.daemonsets/minimal/views',
    'autoscaling.v1.horizontalpodautoscalers/v1/views',
    'apiregistration.k8s.io.v1.apiservices/minimal/create',
    'apiregistration.k8s.io.v1.apiservices/minimal/views',
    'apiregistration.k8s.io.v1.apiservices/minimal/change',
  ],
  discovery: ['wellknown'],
  fieldvalidation: [],
  listwatch: ['rv/list?resourceVersion=1&resourceVersionMatch=Exact'],
  metadata: [],
  patch: [],
  validation: [],
};

t.setTimeout(180_000);

t.test('recorded conversations', { timeout: 180_000 }, async t => {
  const served = await runningServer(t);
  const server = converse(kubeconfigEndpoint(served.kubeconfig), 'corpus/1.0');
  t.teardown(() => server.close());
  for (const [name, known] of Object.entries(open)) {
    const results = await replayArea(server, area(name), each => !known.includes(each));
    t.ok(results.length > 10, `${name}: ${results.length} conversations`);
    t.same(
      results.filter(({ problems }) => problems.length > 0),
      [],
      name,
    );
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
