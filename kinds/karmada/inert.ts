/**
 * Kinds and fields that are checked and stored, but have no effect: they are not implemented yet, or their gate is off. Remove the row when you
 * implement one.
 */
import type { KubeObject } from '../../apimachinery/interface.js';
import type { FeatureGate } from './feature-gates.js';

export interface InertFeature {
  /** GROUP/PLURAL */
  readonly resource: string;
  /** Reports whether the object uses the feature; unset if every object of the kind does. */
  readonly used?: (object: KubeObject) => boolean;
  /** The gate with which the feature has an effect. */
  readonly gate?: FeatureGate;
  /** The feature has an effect while NoExecute taints evict. */
  readonly needsEviction?: boolean;
  /** The warning for users, in one sentence. */
  readonly warning: string;
}

interface Taint {
  readonly effect?: string;
}

interface Spec {
  readonly taints?: readonly Taint[];
  readonly failover?: { readonly cluster?: object };
  readonly placement?: { readonly workloadAffinity?: object };
  readonly signerName?: string;
}

const using =
  (test: (spec: Spec) => unknown) =>
  (object: KubeObject): boolean =>
    Boolean(test((object['spec'] ?? {}) as Spec));

const evicts = using(({ taints }) => taints?.some(({ effect }) => effect === 'NoExecute'));

const evictionIsOff = 'the feature gate Failover or --enable-no-execute-taint-eviction is off';

/** Returns the rows of a feature that both kinds of propagation policy have. */
const forBothPolicies = (feature: Omit<InertFeature, 'resource'>): InertFeature[] =>
  ['propagationpolicies', 'clusterpropagationpolicies'].map(plural => ({
    resource: `policy.karmada.io/${plural}`,
    ...feature,
  }));

const wholeKind = (resource: string, kind: string, effect: string): InertFeature => ({
  resource,
  warning: `${kind} objects are stored, but not acted on yet: ${effect}`,
});

export const inertFeatures: readonly InertFeature[] = [
  wholeKind('autoscaling.karmada.io/federatedhpas', 'FederatedHPA', 'nothing is scaled'),
  wholeKind('networking.karmada.io/multiclusterservices', 'MultiClusterService', 'no service reaches other clusters'),
  wholeKind('networking.karmada.io/multiclusteringresses', 'MultiClusterIngress', 'no traffic is routed'),
  wholeKind('multicluster.x-k8s.io/serviceexports', 'ServiceExport', 'the service is not exported'),
  wholeKind('multicluster.x-k8s.io/serviceimports', 'ServiceImport', 'nothing is imported'),
  {
    resource: 'cluster.karmada.io/clusters',
    used: evicts,
    needsEviction: true,
    warning: `taints with the effect NoExecute keep new workloads away, but evict none from the cluster: ${evictionIsOff}`,
  },
  {
    resource: 'policy.karmada.io/clustertaintpolicies',
    used: evicts,
    needsEviction: true,
    warning: `taints with the effect NoExecute keep new workloads away, but evict none from the clusters: ${evictionIsOff}`,
  },
  ...forBothPolicies({
    // differs: Karmada gives no warning while taints do not evict.
    used: using(({ failover }) => failover?.cluster),
    needsEviction: true,
    warning: `spec.failover.cluster has no effect, since workloads do not leave a cluster that fails: ${evictionIsOff}`,
  }),
  // differs: Karmada ignores the field without a warning while the gate is off.
  ...forBothPolicies({
    used: using(({ placement }) => placement?.workloadAffinity),
    gate: 'WorkloadAffinity',
    warning:
      'spec.placement.workloadAffinity has no effect while the feature gate WorkloadAffinity is off: clusters are selected without it',
  }),
];
