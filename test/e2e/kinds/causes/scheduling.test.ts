/** PriorityClasses and PodDisruptionBudgets: validation errors and warnings. */
import { texts } from '../../../kinds/kubernetes/fault-table.js';
import { causes } from './causes.js';

causes('priorityclasses', [
  {
    name: 'reserved names',
    given: { metadata: { name: 'system-x' }, value: 1 },
    expect: [
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-x is not a known system priority class",
    ],
  },
  {
    name: 'reserved values',
    given: { value: 1000000001 },
    expect: ['value: Forbidden: maximum allowed value of a user defined priority is 1000000000'],
  },
  {
    name: 'a system class with another value',
    given: { metadata: { name: 'system-node-critical' }, value: 5 },
    expect: [
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: value of system-node-critical PriorityClass must be 2000001000",
    ],
  },
  {
    name: 'the highest value',
    given: { value: 1000000000 },
    expect: [],
  },
  {
    name: 'an unknown policy',
    given: { value: 1, preemptionPolicy: 'X' },
    expect: ['preemptionPolicy: Unsupported value: "X": supported values: "PreemptLowerPriority", "Never"'],
  },
  {
    name: 'a changed value and policy',
    given: { value: 1 },
    patch: { value: 2, preemptionPolicy: 'Never' },
    expect: [
      'value: Forbidden: may not be changed in an update.',
      'preemptionPolicy: Invalid value: "Never": field is immutable',
    ],
  },
  {
    name: 'the value of a system class',
    given: { value: 2_000_000_000 },
    expect: ['value: Forbidden: maximum allowed value of a user defined priority is 1000000000'],
  },
]);

causes('poddisruptionbudgets', [
  {
    name: 'both',
    given: { spec: { minAvailable: 1, maxUnavailable: '1%' } },
    expect: [
      'spec: Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":"1%","UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
    ],
  },
  {
    name: 'an invalid percentage',
    given: { spec: { minAvailable: 'x' } },
    expect: [`spec.minAvailable: Invalid value: "x": ${texts.percent}`],
  },
  {
    name: 'unknown enum values',
    given: {
      spec: { maxUnavailable: '101%', unhealthyPodEvictionPolicy: 'X', selector: { matchLabels: { 'a b': 'c' } } },
    },
    expect: [
      'spec.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
      `spec.selector.matchLabels: Invalid value: "a b": ${texts.namePart}`,
      'spec.unhealthyPodEvictionPolicy: Unsupported value: "X": supported values: "AlwaysAllow", "IfHealthyBudget"',
    ],
  },
  {
    name: 'an empty selector',
    given: { spec: { selector: {} } },
    expect: [],
  },
  {
    name: 'a changed selector',
    given: { spec: { minAvailable: 1, selector: {} } },
    patch: { spec: { minAvailable: 2, selector: { matchLabels: { a: 'b' } } } },
    expect: [],
  },
  {
    name: 'status',
    given: { spec: { minAvailable: 1, selector: {} } },
    patch: {
      status: {
        disruptionsAllowed: -1,
        currentHealthy: -1,
        desiredHealthy: -1,
        expectedPods: -1,
        conditions: [{ type: 'a b', status: 'x', reason: '', message: 'm' }],
      },
    },
    part: 'status',
    expect: [
      `status.conditions[0].type: Invalid value: "a b": ${texts.namePart}`,
      'status.conditions[0].status: Unsupported value: "x": supported values: "False", "True", "Unknown"',
      'status.conditions[0].lastTransitionTime: Required value',
      'status.conditions[0].reason: Required value',
      `status.disruptionsAllowed: Invalid value: -1: ${texts.natural}`,
      `status.currentHealthy: Invalid value: -1: ${texts.natural}`,
      `status.desiredHealthy: Invalid value: -1: ${texts.natural}`,
      `status.expectedPods: Invalid value: -1: ${texts.natural}`,
    ],
  },
  {
    name: 'a budget with a fault: its metadata is not validated',
    given: { metadata: { name: 'a%b', labels: { 'a b': 'c' } }, spec: { minAvailable: -1 } },
    expect: ['spec.minAvailable: Invalid value: -1: must be greater than or equal to 0'],
  },
  {
    name: 'a budget without a fault: its metadata is validated',
    given: { metadata: { name: 'a%b', labels: { 'a b': 'c' } }, spec: { minAvailable: 1 } },
    expect: [
      'metadata.name: Invalid value: "a%b": may not contain \'%\'',
      `metadata.labels: Invalid value: "a b": ${texts.namePart}`,
    ],
  },
]);
