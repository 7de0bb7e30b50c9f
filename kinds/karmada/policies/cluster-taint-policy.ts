/** Validates ClusterTaintPolicies. as pkg/webhook/clustertaintpolicy */
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Field } from '../../shared/rules/field.js';
import { ruleRefusal } from '../refusal.js';
import type { WebhookRule } from '../rules.js';
import type { Taint } from '../../../api/karmada/types.js';

export interface ClusterTaintPolicy extends KubeObject {
  spec: { taints: Taint[] };
}

const notAllowed =
  'Configuring taint with NoExecute effect is not allowed, this capability must be explicitly enabled by administrators through command-line flags';

const pairOf = ({ key, effect }: Partial<Taint>): string => JSON.stringify([key, effect]);

function policyTaints(taints: Field<Taint[]>, allowNoExecute: boolean): void {
  const lastOf = new Map((taints.value ?? []).map((taint, i) => [pairOf(taint), i]));
  for (const [i, taint] of taints.items().entries()) {
    const { key, effect } = taint.value ?? {};
    if (effect === 'NoExecute' && !allowNoExecute) taint.forbidden(notAllowed);
    if ((lastOf.get(pairOf(taint.value ?? {})) ?? i) > i)
      taint.duplicate(`Duplicate taint with the same key(${key}) and effect(${effect}) is not allowed`);
  }
}

/** `allowNoExecute`: `--allow-no-execute-taint-policy`. */
export const validateClusterTaintPolicy =
  (allowNoExecute: boolean): WebhookRule<ClusterTaintPolicy> =>
  object =>
    ruleRefusal<ClusterTaintPolicy>(object, root => policyTaints(root.at('spec').at('taints'), allowNoExecute));
