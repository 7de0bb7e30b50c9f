/** The cached result of a validated template is used only for the same place, old object and sibling fields. */
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
  name: 'a fault that is tolerated in a stored object is reported in a new one',
  given: forgiven,
  expect: [[place, `Invalid value: "!": ${texts.labelValue}`]],
};

const twice = template({ imagePullSecrets: [{ name: 's' }, { name: 's' }] });
const warned: FaultCase = {
  name: 'warnings are returned every time',
  given: twice,
  expect: [],
  warnings: ['spec.template.spec.imagePullSecrets[1].name: duplicate name "s"'],
};

const faulty: FaultCase = {
  name: 'faults are returned every time',
  given: template({ dnsPolicy: 'Mine' }),
  expect: [
    [
      'spec.template.spec.dnsPolicy',
      'Unsupported value: "Mine": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
    ],
  ],
};

const sound: FaultCase = { name: 'a valid template', given: {}, expect: [], warnings: [] };

t.test(
  'templates of deployments are validated',
  async t =>
    await faultTable(t, ['apps', 'Deployment'], workload('Deployment'), [
      {
        name: 'a fault of the stored object is tolerated',
        old: forgiven,
        given: { spec: { replicas: 2 } },
        expect: [],
      },
      refused,
      {
        name: 'a fault of the stored object is tolerated again',
        old: forgiven,
        given: { spec: { replicas: 3 } },
        expect: [],
      },
      refused,
      faulty,
      faulty,
      warned,
      warned,
      sound,
      sound,
      {
        name: 'an annotation beside a cached spec',
        given: template({}, { 'scheduler.alpha.kubernetes.io/critical-pod': '' }),
        expect: [],
        warnings: [
          'spec.template.metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
        ],
      },
      {
        name: 'a profile beside a cached spec',
        given: template({}, { 'container.seccomp.security.alpha.kubernetes.io/c': 'unconfined' }),
        expect: [],
        warnings: [
          'spec.template.metadata.annotations[container.seccomp.security.alpha.kubernetes.io/c]: non-functional in v1.27+; use the "seccompProfile" field instead',
        ],
      },
      {
        name: 'labels beside a cached spec',
        given: { spec: { template: { metadata: { labels: { c: '!' } } } } },
        expect: [['spec.template.labels', `Invalid value: "!": ${texts.labelValue}`]],
      },
    ]),
);
