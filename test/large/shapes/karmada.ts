/** Shapes of Karmada's kinds. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { inGroup, metadata, type Shape, times } from './shape.js';

const policy = (kind: string, spec: object): KubeObject => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind,
  metadata,
  spec,
});
const selectors = [{ apiVersion: 'apps/v1', kind: 'Deployment' }];
const policies = {
  collection: inGroup('policy.karmada.io/v1alpha1', 'propagationpolicies'),
  native: false,
  small: { spec: { priority: 3 } },
};

export const karmadaShapes: readonly Shape[] = [
  {
    name: 'propagation policy/selectors',
    ...policies,
    make: n =>
      policy('PropagationPolicy', {
        resourceSelectors: times(n, i => ({ apiVersion: 'v1', kind: 'ConfigMap', name: `n${i}` })),
      }),
  },
  {
    name: 'propagation policy/expressions',
    ...policies,
    make: n =>
      policy('PropagationPolicy', {
        resourceSelectors: [
          {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            labelSelector: { matchExpressions: times(n, i => ({ key: `k${i}`, operator: 'In', values: ['v'] })) },
          },
        ],
      }),
  },
  {
    name: 'propagation policy/cluster names',
    ...policies,
    make: n =>
      policy('PropagationPolicy', {
        resourceSelectors: selectors,
        placement: { clusterAffinity: { clusterNames: times(n, i => `m${i}`) } },
      }),
  },
  {
    name: 'propagation policy/weights',
    ...policies,
    make: n =>
      policy('PropagationPolicy', {
        resourceSelectors: selectors,
        placement: {
          replicaScheduling: {
            replicaSchedulingType: 'Divided',
            replicaDivisionPreference: 'Weighted',
            weightPreference: {
              staticWeightList: times(n, i => ({ targetCluster: { clusterNames: [`m${i}`] }, weight: 1 })),
            },
          },
        },
      }),
  },
  {
    name: 'override policy/rules',
    collection: inGroup('policy.karmada.io/v1alpha1', 'overridepolicies'),
    native: false,
    small: { spec: { resourceSelectors: selectors } },
    make: n =>
      policy('OverridePolicy', {
        resourceSelectors: selectors,
        overrideRules: times(n, i => ({
          overriders: { plaintext: [{ path: `/metadata/annotations/a${i}`, operator: 'add', value: 'v' }] },
        })),
      }),
  },
  {
    name: 'work/manifests',
    collection: inGroup('work.karmada.io/v1alpha1', 'works'),
    native: false,
    small: { spec: { suspendDispatching: true } },
    make: n => ({
      ...{ apiVersion: 'work.karmada.io/v1alpha1', kind: 'Work', metadata },
      spec: {
        workload: {
          manifests: times(n, i => ({
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: `n${i}` },
            data: { k: 'v' },
          })),
        },
      },
    }),
  },
  {
    name: 'binding/clusters',
    collection: inGroup('work.karmada.io/v1alpha2', 'resourcebindings'),
    native: false,
    small: { spec: { replicas: 7 } },
    make: n => ({
      ...{ apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding', metadata },
      spec: {
        resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'd' },
        clusters: times(n, i => ({ name: `m${i}`, replicas: 1 })),
      },
    }),
  },
];
