import type { KubeObject } from '../../apimachinery/interface.js';
import { annotations, labels } from '../../api/karmada/well-known.js';
import type { Policy } from '../../api/karmada/types.js';
import type { Informer } from '../../client/runtime/interface.js';

/** Who has a template: the policy's name for people, its permanent id for joins (names may be too long for labels). */
export interface Claim {
  readonly kind: 'PropagationPolicy' | 'ClusterPropagationPolicy';
  /** '' for cluster policies. */
  readonly namespace: string;
  readonly name: string;
  readonly id: string;
}

const idLabel = {
  PropagationPolicy: labels.propagationPolicyId,
  ClusterPropagationPolicy: labels.clusterPropagationPolicyId,
} as const;

const claimAnnotations = {
  PropagationPolicy: [annotations.propagationPolicyNamespace, annotations.propagationPolicyName],
  ClusterPropagationPolicy: [annotations.clusterPropagationPolicyName],
} as const;

/** The permanent ids of the policies that have it, as its labels say. */
export const policyIds = ({ metadata }: KubeObject): string[] =>
  Object.values(idLabel).flatMap(label => metadata.labels?.[label] ?? []);

export function claimOf(policy: Policy): Claim {
  const kind = policy.kind === 'PropagationPolicy' ? 'PropagationPolicy' : 'ClusterPropagationPolicy';
  const { namespace = '', name = '' } = policy.metadata;
  return { kind, namespace, name, id: policy.metadata.labels?.[idLabel[kind]] ?? '' };
}

/** The claim on a template or binding; a namespaced policy's before a cluster policy's. Incomplete marks are none. */
export function claimedBy({ metadata }: KubeObject): Claim | undefined {
  const note = (key: string): string => metadata.annotations?.[key] ?? '';
  const label = (key: string): string => metadata.labels?.[key] ?? '';
  const own: Claim = {
    kind: 'PropagationPolicy',
    namespace: note(annotations.propagationPolicyNamespace),
    name: note(annotations.propagationPolicyName),
    id: label(labels.propagationPolicyId),
  };
  if (own.namespace && own.name && own.id) return own;
  const name = note(annotations.clusterPropagationPolicyName);
  const id = label(labels.clusterPropagationPolicyId);
  return name && id ? { kind: 'ClusterPropagationPolicy', namespace: '', name, id } : undefined;
}

interface Claimants {
  readonly policies: Informer<Policy>;
  readonly clusterPolicies: Informer<Policy>;
}

/** The policy that a claim names, if it is there. */
export const claimant = (
  { kind, namespace, name }: Claim,
  { policies, clusterPolicies }: Claimants,
): Policy | undefined =>
  kind === 'PropagationPolicy' ? policies.get(`${namespace}/${name}`) : clusterPolicies.get(name);

/** Marks a draft as claimed. A namespaced policy displaces a cluster policy, never the other way round. */
export function putClaim({ metadata }: KubeObject, claim: Claim): void {
  if (claim.kind === 'PropagationPolicy') dropMarks({ metadata }, 'ClusterPropagationPolicy');
  (metadata.labels ??= {})[idLabel[claim.kind]] = claim.id;
  const notes = (metadata.annotations ??= {});
  if (claim.kind === 'ClusterPropagationPolicy') {
    notes[annotations.clusterPropagationPolicyName] = claim.name;
    return;
  }
  notes[annotations.propagationPolicyNamespace] = claim.namespace;
  notes[annotations.propagationPolicyName] = claim.name;
}

/** Takes the marks of exactly this claim off a draft; those of a policy that came since stay (karmada issue 5307). */
export function dropClaim(draft: KubeObject, claim: Claim): void {
  if (draft.metadata.labels?.[idLabel[claim.kind]] === claim.id) dropMarks(draft, claim.kind);
}

function dropMarks({ metadata }: Pick<KubeObject, 'metadata'>, kind: Claim['kind']): void {
  if (metadata.labels) delete metadata.labels[idLabel[kind]];
  for (const key of claimAnnotations[kind]) if (metadata.annotations) delete metadata.annotations[key];
}
