import t from 'tap';
import { faultTable, texts } from '../fault-table.js';

t.test(
  'pod disruption budgets are validated',
  async t =>
    await faultTable(
      t,
      ['policy', 'PodDisruptionBudget'],
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'n', namespace: 'space' },
        spec: { minAvailable: 1, selector: {} },
      },
      [
        {
          name: 'both limits',
          given: { spec: { maxUnavailable: 1 } },
          expect: [
            [
              'spec',
              'Invalid value: {"MinAvailable":1,"Selector":{},"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
            ],
          ],
        },
        {
          name: 'a number below zero',
          given: { spec: { minAvailable: -1 } },
          expect: [['spec.minAvailable', `Invalid value: -1: ${texts.natural}`]],
        },
        {
          name: 'more than 100 percent',
          given: { spec: { minAvailable: '101%' } },
          expect: [['spec.minAvailable', 'Invalid value: "101%": must not be greater than 100%']],
        },
        {
          name: 'not a number',
          given: { spec: { minAvailable: 'x' } },
          expect: [['spec.minAvailable', `Invalid value: "x": ${texts.percent}`]],
        },
        {
          name: 'an unknown policy',
          given: { spec: { unhealthyPodEvictionPolicy: 'X' } },
          expect: [
            [
              'spec.unhealthyPodEvictionPolicy',
              'Unsupported value: "X": supported values: "AlwaysAllow", "IfHealthyBudget"',
            ],
          ],
        },
        {
          name: 'a selector',
          given: { spec: { selector: { matchLabels: { a: 'b c' } } } },
          expect: [['spec.selector.matchLabels', `Invalid value: "b c": ${texts.labelValue}`]],
        },
        {
          name: 'a status',
          part: 'status',
          given: {
            status: {
              disruptionsAllowed: -1,
              currentHealthy: -1,
              desiredHealthy: -1,
              expectedPods: -1,
              conditions: [
                { type: 'A' },
                { type: 'A', status: 'X', lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'R' },
              ],
            },
          },
          expect: [
            ['status.conditions[0].status', 'Unsupported value: "": supported values: "False", "True", "Unknown"'],
            ['status.conditions[0].lastTransitionTime', 'Required value'],
            ['status.conditions[0].reason', 'Required value'],
            ['status.conditions[1].type', 'Duplicate value: "A"'],
            ['status.conditions[1].status', 'Unsupported value: "X": supported values: "False", "True", "Unknown"'],
            ['status.disruptionsAllowed', `Invalid value: -1: ${texts.natural}`],
            ['status.currentHealthy', `Invalid value: -1: ${texts.natural}`],
            ['status.desiredHealthy', `Invalid value: -1: ${texts.natural}`],
            ['status.expectedPods', `Invalid value: -1: ${texts.natural}`],
          ],
        },
      ],
    ),
);
