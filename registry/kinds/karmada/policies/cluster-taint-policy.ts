/** ClusterTaintPolicy as it is written (inventory ADM-22). as pkg/webhook/clustertaintpolicy */
import type { KubeObject } from '../../../../openapi/interface.js';
import type { Field } from '../../shared/field.js';
import { refusalOf } from '../refusal.js';
import type { Judge } from '../rules.js';
import type { Taint } from '../types.js';

export interface ClusterTaintPolicy extends KubeObject {
  spec: { taints: Taint[] };
}

const notAllowed =
  'Configuring taint with NoExecute effect is not allowed, this capability must be explicitly enabled by administrators through command-line flags';

function policyTaints(taints: Field<Taint[]>, allowNoExecute: boolean): void {
  const all = taints.value ?? [];
  for (const [i, taint] of taints.items().entries()) {
    const { key, effect } = taint.value ?? {};
    if (effect === 'NoExecute' && !allowNoExecute) taint.forbidden(notAllowed);
    if (all.slice(i + 1).some(other => other.key === key && other.effect === effect))
      taint.duplicate(`Duplicate taint with the same key(${key}) and effect(${effect}) is not allowed`);
  }
}

/** `allowNoExecute`: `--allow-no-execute-taint-policy`. */
export const judgeClusterTaintPolicy =
  (allowNoExecute: boolean): Judge<ClusterTaintPolicy> =>
  object =>
    refusalOf<ClusterTaintPolicy>(object, root => policyTaints(root.at('spec').at('taints'), allowNoExecute));
