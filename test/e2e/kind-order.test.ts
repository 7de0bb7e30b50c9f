/** In which order rows are shown and causes are told, where it is not the usual one. */
import t from 'tap';
import { scene, table } from './kind-scene.js';
import { runningServer } from '../apiserver/running.js';
import { merge, refusal, wire } from './wire.js';

t.test('KND-073: flow schemas are shown in the order in which they are asked', async t => {
  const { send } = wire(t, await runningServer(t, { profile: 'kubernetes' }));
  const schemas = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
  const { object } = await send(`GET ${schemas}`, { accept: table });
  const rows = object['rows'] as { cells: unknown[]; object: { metadata: { name: string } } }[];
  t.strictSame(
    rows.map(({ cells }) => `${String(cells[2])} ${String(cells[0])}`),
    [
      ...['1 exempt', '2 probes', '100 system-leader-election', '400 system-node-high', '500 system-nodes'],
      ...['800 kube-controller-manager', '800 kube-scheduler', '900 kube-system-service-accounts'],
      ...['9000 service-accounts', '9900 global-default', '10000 catch-all'],
    ],
  );
  t.strictSame(
    rows.map(({ object }) => object.metadata.name),
    rows.map(({ cells }) => cells[0]),
    'each with its object',
  );
  const plain = (await send(`GET ${schemas}`, { accept: 'application/json' })).object.items ?? [];
  const names = plain.map(({ metadata }) => metadata.name ?? '');
  t.strictSame(names, names.toSorted(), 'a list that is no table keeps its own');
});

t.test('metadata that is looked at late, or not with the rest', async t => {
  const { ask } = await scene(t);
  const label = "name part must consist of alphanumeric characters, '-', '_' or '.'";
  const labelled = { name: 'a%b', labels: { 'a b': 'c' } };
  const events = '/apis/events.k8s.io/v1/namespaces/default/events';
  const cases: readonly {
    name: string;
    path: string;
    given: object;
    expect: readonly (readonly [string, string])[];
  }[] = [
    {
      name: 'a budget with a fault',
      path: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
      given: { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: labelled, spec: { minAvailable: -1 } },
      expect: [['spec.minAvailable', 'Invalid value: -1: must be greater than or equal to 0']],
    },
    {
      name: 'a budget without',
      path: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
      given: { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: labelled, spec: { minAvailable: 1 } },
      expect: [
        ['metadata.name', `Invalid value: "a%b": may not contain '%'`],
        ['metadata.labels', `Invalid value: "a b": ${label}`],
      ],
    },
    {
      name: 'an event of the older group with a fault',
      path: '/api/v1/namespaces/default/events',
      given: { apiVersion: 'v1', kind: 'Event', metadata: labelled, involvedObject: { namespace: 'other' } },
      expect: [['involvedObject.namespace', 'Invalid value: "other": does not match event.namespace']],
    },
    {
      name: 'an event of the older group without',
      path: '/api/v1/namespaces/default/events',
      given: { apiVersion: 'v1', kind: 'Event', metadata: labelled, involvedObject: { namespace: 'default' } },
      expect: [
        ['metadata.name', `Invalid value: "a%b": may not contain '%'`],
        ['metadata.labels', `Invalid value: "a b": ${label}`],
      ],
    },
    {
      name: 'a new event: in the middle',
      path: events,
      given: {
        ...{ apiVersion: 'events.k8s.io/v1', kind: 'Event', metadata: { name: 'e', labels: { 'a b': 'c' } } },
        regarding: { namespace: 'other' },
      },
      expect: [
        ['involvedObject.namespace', 'Invalid value: "other": does not match event.namespace'],
        ['metadata.labels', `Invalid value: "a b": ${label}`],
        ['eventTime', 'Required value'],
        ['type', 'Invalid value: "": has invalid value: '],
      ],
    },
  ];
  for (const { name, path, given, expect } of cases) {
    const reply = await ask(`POST ${path}?dryRun=All`, given);
    const { causes = [] } = reply.object['details'] as { causes?: { field: string; message: string }[] };
    t.equal(reply.status, 422, name);
    t.match(
      causes.map(({ field, message }) => [field, message]),
      expect,
      `${name}: ${refusal(reply)}`,
    );
    t.equal(causes.length, expect.length, name);
  }
});

t.test('OBJ-020: an empty object that comes or goes is a change of the spec', async t => {
  const { ask } = await scene(t);
  const path = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies';
  const from = (peer: object) => ({ spec: { podSelector: {}, ingress: [{ from: [peer] }] } });
  const made = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'p' } };
  await ask(`POST ${path}`, { ...made, ...from({ podSelector: {} }) });
  const generations: unknown[] = [];
  for (const peer of [{ podSelector: {} }, { namespaceSelector: {} }, { namespaceSelector: null, podSelector: {} }]) {
    const { object } = await ask(`PATCH ${path}/p`, from(peer), merge);
    generations.push(object.metadata.generation);
  }
  t.strictSame(generations, [1, 2, 3]);
});
