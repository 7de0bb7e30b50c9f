/** While scheduling gates hold back a pod, its node selection can be narrowed. */
// as pkg/apis/core/validation validateNodeSelectorMutation, validateNodeAffinityMutation
import { semanticEqual } from '../../../../lib/json/equality.js';
import { sameField } from '../../../../registry/strategy/same-value.js';
import type { Field } from '../../../shared/rules/field.js';
import { shownInternal, shownMap } from '../../../shared/go-text/internal-json.js';
import type { NodeAffinity, NodeSelectorTerm, PodSpec } from '../../../../api/kubernetes/core.js';

/** Returns the spec with its old node selector. */
export function gatedNodeSelector(spec: Field<PodSpec>, fixed: PodSpec, old: PodSpec): PodSpec {
  const field = spec.at('nodeSelector');
  if (semanticEqual(fixed.nodeSelector, old.nodeSelector)) return fixed;
  const kept = Object.entries(old.nodeSelector ?? {}).every(([key, value]) => field.value?.[key] === value);
  if (!kept)
    field.invalid('only additions to spec.nodeSelector are allowed (no mutations or deletions)', shownMap(field.value));
  const out = { ...fixed };
  delete out.nodeSelector;
  return old.nodeSelector ? { ...out, nodeSelector: old.nodeSelector } : out;
}

/** Returns the spec with its old node affinity. */
export function gatedAffinity(spec: Field<PodSpec>, fixed: PodSpec, old: PodSpec): PodSpec {
  const before = old.affinity?.nodeAffinity;
  const now = fixed.affinity?.nodeAffinity;
  const field = spec.at('affinity').at('nodeAffinity');
  if (sameField(before, now, field.type)) return fixed;
  narrowed(field, before);
  const { nodeAffinity: _, ...rest } = fixed.affinity ?? {};
  const out = { ...fixed };
  delete out.affinity;
  const affinity = before ? { ...rest, nodeAffinity: before } : rest;
  const wasThere = old.affinity !== undefined || Object.keys(affinity).length > 0;
  return wasThere ? { ...out, affinity } : out;
}

function narrowed(affinity: Field<NodeAffinity>, old: NodeAffinity | undefined): void {
  const before = old?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const field = affinity.at('requiredDuringSchedulingIgnoredDuringExecution').at('nodeSelectorTerms');
  const terms = field.value ?? [];
  if (before.length === 0) return;
  if (before.length !== terms.length) {
    field.invalid(
      'no additions/deletions to non-empty NodeSelectorTerms list are allowed',
      shownInternal('[]NodeSelectorTerm', field.value),
    );
    return;
  }
  for (const [i, term] of field.items().entries())
    if (!onlyAdds(term.value ?? {}, before[i] ?? {}))
      term.invalid(
        'only additions are allowed (no mutations or deletions)',
        shownInternal('NodeSelectorTerm', term.value),
      );
}

function onlyAdds(now: NodeSelectorTerm, before: NodeSelectorTerm): boolean {
  const counts = (['matchExpressions', 'matchFields'] as const).map(name => {
    const was = before[name] ?? [];
    return {
      was: was.length,
      is: (now[name] ?? []).length,
      same: semanticEqual((now[name] ?? []).slice(0, was.length), was),
    };
  });
  if (counts.every(c => c.was === 0)) return counts.every(c => c.is === 0);
  return counts.every(c => c.same);
}
