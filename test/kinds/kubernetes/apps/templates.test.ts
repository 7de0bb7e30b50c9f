/** Templates that were judged before: what is known of one says nothing of another place, time or neighbour. */
import t from 'tap';
import { faultTable, texts, type FaultCase } from '../fault-table.js';
import { workload } from './workload.js';

const template = (spec: object, annotations = {}): object => ({
  spec: { template: { metadata: { annotations }, spec } },
});

const term = {
  topologyKey: 'zone',
  labelSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['!'] }] },
};
const forgiven = template({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } });
const place =
  'spec.template.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0].values[0]';
const refused: FaultCase = {
  name: 'what is forgiven where it stands is not in a new object',
  given: forgiven,
  expect: [[place, `Invalid value: "!": ${texts.labelValue}`]],
};

const twice = template({ imagePullSecrets: [{ name: 's' }, { name: 's' }] });
const warned: FaultCase = {
  name: 'warnings are told every time',
  given: twice,
  expect: [],
  warnings: ['spec.template.spec.imagePullSecrets[1].name: duplicate name "s"'],
};

const faulty: FaultCase = {
  name: 'faults are told every time',
  given: template({ dnsPolicy: 'Mine' }),
  expect: [
    [
      'spec.template.spec.dnsPolicy',
      'Unsupported value: "Mine": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
    ],
  ],
};

const sound: FaultCase = { name: 'a sound one', given: {}, expect: [], warnings: [] };

t.test('deployments, by their templates', async t =>
  faultTable(t, ['apps', 'Deployment'], workload('Deployment'), [
    { name: 'what stands there is forgiven', old: forgiven, given: { spec: { replicas: 2 } }, expect: [] },
    refused,
    { name: 'and forgiven again', old: forgiven, given: { spec: { replicas: 3 } }, expect: [] },
    refused,
    faulty,
    faulty,
    warned,
    warned,
    sound,
    sound,
    {
      name: 'an annotation beside a spec that is known',
      given: template({}, { 'scheduler.alpha.kubernetes.io/critical-pod': '' }),
      expect: [],
      warnings: [
        'spec.template.metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
      ],
    },
    {
      name: 'a profile beside a spec that is known',
      given: template({}, { 'container.seccomp.security.alpha.kubernetes.io/c': 'unconfined' }),
      expect: [],
      warnings: [
        'spec.template.metadata.annotations[container.seccomp.security.alpha.kubernetes.io/c]: non-functional in v1.27+; use the "seccompProfile" field instead',
      ],
    },
    {
      name: 'labels beside a spec that is known',
      given: { spec: { template: { metadata: { labels: { c: '!' } } } } },
      expect: [['spec.template.labels', `Invalid value: "!": ${texts.labelValue}`]],
    },
  ]),
);
