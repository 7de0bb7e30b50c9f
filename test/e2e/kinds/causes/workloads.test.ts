/** Workloads: validation errors and warnings. */
import { texts } from '../../../kinds/kubernetes/fault-table.js';
import { selector, template } from '../manifests.js';
import { causes, dotted } from './causes.js';
import { selecting, unselected } from './selecting.js';

causes('deployments', [
  ...selecting({ who: 'Deployment', word: 'deployment', owner: 'ReplicaSet' }),
  {
    name: 'invalid numbers, and a rolling update with no limit above zero',
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
    name: 'percentages',
    given: { spec: { template, selector, strategy: { rollingUpdate: { maxSurge: 'x', maxUnavailable: '101%' } } } },
    expect: [
      `spec.strategy.rollingUpdate.maxSurge: Invalid value: "x": ${texts.percent}`,
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
    ],
  },
  {
    name: 'a rolling update with the strategy Recreate',
    given: { spec: { template, selector, strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } } },
    expect: ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
  },
  {
    name: 'an unknown strategy',
    given: { spec: { template, selector, strategy: { type: 'X' } } },
    expect: [
      'spec.strategy: Unsupported value: {"Type":"X","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
    ],
  },
  {
    name: 'Deployment: a name with a dot',
    given: { metadata: { name: 'a.b' }, spec: { selector, template } },
    expect: [],
    warnings: [dotted],
  },
]);

causes('replicasets', [
  ...selecting({ who: 'ReplicaSet', word: 'deployment', owner: 'ReplicaSet' }),
  {
    name: 'ReplicaSet: a name with a dot',
    given: { metadata: { name: 'a.b' }, spec: { selector, template } },
    expect: [],
    warnings: [dotted],
  },
]);

causes('daemonsets', [
  ...selecting({ who: 'DaemonSet', word: 'daemonset', owner: 'DaemonSet', without: [unselected] }),
  {
    name: 'a DaemonSet update with no limit above zero',
    given: { spec: { template, selector, updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } } },
    expect: ['spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0'],
  },
  {
    name: 'a DaemonSet update with both limits',
    given: { spec: { template, selector, updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } } },
    expect: [
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero',
    ],
  },
  {
    name: 'DaemonSet: a name with a dot',
    given: { metadata: { name: 'a.b' }, spec: { selector, template } },
    expect: [],
    warnings: [],
  },
]);

causes('replicationcontrollers', [
  {
    name: 'ReplicationController: invalid values',
    given: { spec: { replicas: -1, minReadySeconds: -1, selector: { a: 'c' }, template } },
    expect: [
      `spec.minReadySeconds: Invalid value: -1: ${texts.natural}`,
      `spec.replicas: Invalid value: -1: ${texts.natural}`,
      unselected,
    ],
  },
  {
    name: 'ReplicationController: no template',
    given: { spec: { selector: { a: 'c' } } },
    expect: ['spec.template: Required value'],
  },
  {
    name: 'ReplicationController: a name with a dot',
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
    name: 'PodTemplate: a name with a dot',
    given: { metadata: { name: 'a.b' }, template },
    expect: [],
    warnings: [],
  },
]);
