import { namespacedName } from '../../apimachinery/meta/gvk.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { annotations, labels } from '../../api/karmada/well-known.js';
import type { Policy } from '../../api/karmada/types.js';
import type { Informer } from '../../client/runtime/interface.js';

/** The policy that has claimed a template: its name for users, and its permanent id for lookups, since names may be too long for labels. */
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

/** Returns the permanent ids of the claiming policies, from the labels of a template or binding. */
export const policyIds = (marks: Readonly<Record<string, string>> = {}): string[] =>
  Object.values(idLabel).flatMap(label => marks[label] ?? []);

/** Returns the claim that a policy makes on templates and bindings. Its id is '' until admission has set the label. */
export function claimOf(policy: Policy): Claim {
  const kind = policy.kind === 'PropagationPolicy' ? 'PropagationPolicy' : 'ClusterPropagationPolicy';
  const { namespace = '', name = '' } = policy.metadata;
  return { kind, namespace, name, id: policy.metadata.labels?.[idLabel[kind]] ?? '' };
}

/** Returns the claim on a template or binding; that of a namespaced policy comes first. Claims with missing fields are ignored. */
export function claimedBy({ metadata }: KubeObject): Claim | undefined {
  const note = (key: string): string => metadata.annotations?.[key] ?? '';
  const label = (key: string): string => metadata.labels?.[key] ?? '';
  const claim: Claim = {
    kind: 'PropagationPolicy',
    namespace: note(annotations.propagationPolicyNamespace),
    name: note(annotations.propagationPolicyName),
    id: label(labels.propagationPolicyId),
  };
  if (claim.namespace && claim.name && claim.id) return claim;
  const name = note(annotations.clusterPropagationPolicyName);
  const id = label(labels.clusterPropagationPolicyId);
  return name && id ? { kind: 'ClusterPropagationPolicy', namespace: '', name, id } : undefined;
}

interface Claimants {
  readonly policies: Informer<Policy>;
  readonly clusterPolicies: Informer<Policy>;
}

/** Returns the policy of a claim; undefined if it does not exist. */
export const claimant = (
  { kind, namespace, name }: Claim,
  { policies, clusterPolicies }: Claimants,
): Policy | undefined =>
  kind === 'PropagationPolicy' ? policies.get(namespacedName(namespace, name)) : clusterPolicies.get(name);

/** Sets a claim on a draft. That of a namespaced policy replaces that of a cluster policy, but not the other way round. */
export function putClaim({ metadata }: KubeObject, claim: Claim): void {
  if (claim.kind === 'PropagationPolicy') removeClaim({ metadata }, 'ClusterPropagationPolicy');
  (metadata.labels ??= {})[idLabel[claim.kind]] = claim.id;
  const notes = (metadata.annotations ??= {});
  if (claim.kind === 'ClusterPropagationPolicy') {
    notes[annotations.clusterPropagationPolicyName] = claim.name;
    return;
  }
  notes[annotations.propagationPolicyNamespace] = claim.namespace;
  notes[annotations.propagationPolicyName] = claim.name;
}

/** Removes exactly this claim from a draft, but not that of a later policy (karmada issue 5307). */
export function dropClaim(draft: KubeObject, claim: Claim): void {
  if (draft.metadata.labels?.[idLabel[claim.kind]] === claim.id) removeClaim(draft, claim.kind);
}

function removeClaim({ metadata }: Pick<KubeObject, 'metadata'>, kind: Claim['kind']): void {
  if (metadata.labels) delete metadata.labels[idLabel[kind]];
  for (const key of claimAnnotations[kind]) if (metadata.annotations) delete metadata.annotations[key];
}
