import t from 'tap';
import { type FaultCase, faultTable } from '../../fault-table.js';

const sound = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } };
const taints = 'scheduler.alpha.kubernetes.io/taints';
const avoid = 'scheduler.alpha.kubernetes.io/preferAvoidPods';
const annotated = (key: string, value: unknown): object => ({
  metadata: { annotations: { [key]: JSON.stringify(value) } },
});
const effects = 'supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"';

const cases: readonly FaultCase[] = [
  {
    name: 'a taint without effect',
    given: { spec: { taints: [{ key: 'k' }] } },
    expect: [['metadata.taints[0].effect', 'Required value']],
  },
  {
    name: 'a taint with an invalid effect, and a duplicate taint',
    given: {
      spec: {
        taints: [
          { key: 'k', effect: 'x' },
          { key: 'k', effect: 'x', value: 'v' },
        ],
      },
    },
    expect: [
      ['metadata.taints[0].effect', `Unsupported value: "x": ${effects}`],
      ['metadata.taints[1].effect', `Unsupported value: "x": ${effects}`],
      [
        'metadata.taints[1]',
        'Duplicate value: {"Key":"k","Value":"v","Effect":"x","TimeAdded":null}: taints must be unique by key and effect pair',
      ],
    ],
  },
  {
    name: 'taints of an annotation',
    given: annotated(taints, [{ key: 'k', effect: 'x' }]),
    expect: [[`metadata.annotations.${taints}[0].effect`, `Unsupported value: "x": ${effects}`]],
  },
  {
    name: 'an annotation that is not a list of taints',
    given: annotated(taints, 'x'),
    expect: [
      [
        'metadata.annotations',
        `Invalid value: "${taints}": json: cannot unmarshal string into Go value of type []core.Taint`,
      ],
    ],
  },
  {
    name: 'pods to avoid, by their controller',
    given: annotated(avoid, { preferAvoidPods: [{}, { podSignature: { podController: { controller: false } } }] }),
    expect: [
      [`metadata.annotations.${avoid}[0].PodSignature`, 'Required value'],
      [
        `metadata.annotations.${avoid}[1].PodSignature.PodController.Controller`,
        'Invalid value: false: must point to a controller',
      ],
    ],
  },
  {
    name: 'features are sorted',
    given: { status: { declaredFeatures: ['B', 'A', 'A', 'x'] } },
    expect: [
      ['status.declaredFeatures[1]', 'Invalid value: "A": list must be sorted alphabetically'],
      ['status.declaredFeatures[2]', 'Duplicate value: "A"'],
      [
        'status.declaredFeatures[3]',
        `Invalid value: "x": invalid feature name "x": must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`,
      ],
    ],
  },
  {
    name: 'configSource is dropped',
    given: { spec: { configSource: {} }, status: { config: {}, phase: 'Running' } },
    expect: [],
    leaves: { spec: { configSource: null }, status: { config: null, phase: 'Running' } },
  },
];

t.test('nodes are validated', async t => faultTable(t, ['', 'Node'], sound, cases));
