/** What keeps pods running: what is refused and warned of. */
import { texts } from '../../../registry/kinds/fault-table.js';
import { containers, selector, template } from '../manifests.js';
import { causes, dotted } from './causes.js';

const ends = {
  metadata: template.metadata,
  spec: { containers, restartPolicy: 'Never', activeDeadlineSeconds: 5 },
};
const unselected =
  'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`';

causes('deployments', [
  {
    name: 'KND-110 Deployment without selector',
    given: { spec: { template } },
    expect: ['spec.selector: Required value', unselected],
  },
  {
    name: 'KND-110 Deployment with an empty selector',
    given: { spec: { template, selector: {} } },
    expect: ['spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
  },
  {
    name: 'KND-110 Deployment that does not select its pods',
    given: { spec: { template, selector: { matchLabels: { a: 'c' } } } },
    expect: [unselected],
  },
  {
    name: 'KND-110 Deployment whose pods end',
    given: { spec: { template: ends, selector } },
    expect: [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported',
    ],
  },
  {
    name: 'KND-110 Deployment with another selector',
    given: { spec: { template, selector } },
    patch: { spec: { selector: { matchLabels: { c: 'd' } }, template: { metadata: { labels: { c: 'd' } } } } },
    expect: ['spec.selector: Invalid value: {"matchLabels":{"a":"b","c":"d"}}: field is immutable'],
  },
  {
    name: 'KND-110 numbers, and an update that may do nothing',
    given: {
      spec: {
        template,
        selector,
        replicas: -1,
        minReadySeconds: -1,
        revisionHistoryLimit: -1,
        progressDeadlineSeconds: 0,
        strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } },
      },
    },
    expect: [
      `spec.replicas: Invalid value: -1: ${texts.natural}`,
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
      `spec.minReadySeconds: Invalid value: -1: ${texts.natural}`,
      `spec.revisionHistoryLimit: Invalid value: -1: ${texts.natural}`,
    ],
  },
  {
    name: 'KND-110 percentages',
    given: { spec: { template, selector, strategy: { rollingUpdate: { maxSurge: 'x', maxUnavailable: '101%' } } } },
    expect: [
      `spec.strategy.rollingUpdate.maxSurge: Invalid value: "x": ${texts.percent}`,
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
    ],
  },
  {
    name: 'KND-110 at once, and step by step',
    given: { spec: { template, selector, strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } } },
    expect: ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
  },
  {
    name: 'KND-110 no strategy',
    given: { spec: { template, selector, strategy: { type: 'X' } } },
    expect: [
      'spec.strategy: Unsupported value: {"Type":"X","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
    ],
  },
  {
    name: 'KND-131 Deployment: a name with a dot',
    given: { metadata: { name: 'a.b' }, spec: { selector, template } },
    expect: [],
    warnings: [dotted],
  },
]);

causes('replicasets', [
  {
    name: 'KND-110 ReplicaSet without selector',
    given: { spec: { template } },
    expect: ['spec.selector: Required value', unselected],
  },
  {
    name: 'KND-110 ReplicaSet with an empty selector',
    given: { spec: { template, selector: {} } },
    expect: ['spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
  },
  {
    name: 'KND-110 ReplicaSet that does not select its pods',
    given: { spec: { template, selector: { matchLabels: { a: 'c' } } } },
    expect: [unselected],
  },
  {
    name: 'KND-110 ReplicaSet whose pods end',
    given: { spec: { template: ends, selector } },
    expect: [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported',
    ],
  },
  {
    name: 'KND-110 ReplicaSet with another selector',
    given: { spec: { template, selector } },
    patch: { spec: { selector: { matchLabels: { c: 'd' } }, template: { metadata: { labels: { c: 'd' } } } } },
    expect: ['spec.selector: Invalid value: {"matchLabels":{"a":"b","c":"d"}}: field is immutable'],
  },
  {
    name: 'KND-131 ReplicaSet: a name with a dot',
    given: { metadata: { name: 'a.b' }, spec: { selector, template } },
    expect: [],
    warnings: [dotted],
  },
]);

causes('daemonsets', [
  {
    name: 'KND-110 DaemonSet without selector',
    given: { spec: { template } },
    expect: [unselected],
  },
  {
    name: 'KND-110 DaemonSet with an empty selector',
    given: { spec: { template, selector: {} } },
    expect: ['spec.selector: Invalid value: {}: empty selector is invalid for daemonset'],
  },
  {
    name: 'KND-110 DaemonSet that does not select its pods',
    given: { spec: { template, selector: { matchLabels: { a: 'c' } } } },
    expect: [unselected],
  },
  {
    name: 'KND-110 DaemonSet whose pods end',
    given: { spec: { template: ends, selector } },
    expect: [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported',
    ],
  },
  {
    name: 'KND-110 DaemonSet with another selector',
    given: { spec: { template, selector } },
    patch: { spec: { selector: { matchLabels: { c: 'd' } }, template: { metadata: { labels: { c: 'd' } } } } },
    expect: ['spec.selector: Invalid value: {"matchLabels":{"a":"b","c":"d"}}: field is immutable'],
  },
  {
    name: 'KND-110 a DaemonSet that may do nothing',
    given: { spec: { template, selector, updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } } },
    expect: ['spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0'],
  },
  {
    name: 'KND-110 a DaemonSet that may do both',
    given: { spec: { template, selector, updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } } },
    expect: [
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero',
    ],
  },
  {
    name: 'KND-131 DaemonSet: a name with a dot',
    given: { metadata: { name: 'a.b' }, spec: { selector, template } },
    expect: [],
    warnings: [],
  },
]);

causes('replicationcontrollers', [
  {
    name: 'controller of replicas',
    given: { spec: { replicas: -1, minReadySeconds: -1, selector: { a: 'c' }, template } },
    expect: [
      `spec.minReadySeconds: Invalid value: -1: ${texts.natural}`,
      `spec.replicas: Invalid value: -1: ${texts.natural}`,
      unselected,
    ],
  },
  {
    name: 'controller of replicas: no template',
    given: { spec: { selector: { a: 'c' } } },
    expect: ['spec.template: Required value'],
  },
  {
    name: 'KND-131 ReplicationController: a name with a dot',
    given: { metadata: { name: 'a.b' }, spec: { template } },
    expect: [],
    warnings: [dotted],
  },
]);

causes('podtemplates', [
  {
    name: 'template',
    given: {
      template: { metadata: { labels: { 'a b': 'c' }, annotations: { 'a b': 'c' } }, spec: { containers: [] } },
    },
    expect: [
      `template.labels: Invalid value: "a b": ${texts.namePart}`,
      `template.annotations: Invalid value: "a b": ${texts.namePart}`,
      'template.spec.containers: Required value',
    ],
  },
  {
    name: 'KND-131 PodTemplate: a name with a dot',
    given: { metadata: { name: 'a.b' }, template },
    expect: [],
    warnings: [],
  },
]);
