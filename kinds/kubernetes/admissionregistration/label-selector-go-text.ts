import type { LabelSelector } from '../../../api/kubernetes/meta.js';

/** Formats a label selector as the generated String method of its Go type does. */
// as apimachinery/pkg/apis/meta/v1 LabelSelector.String (generated.pb.go)
export function labelSelectorGoText(selector: LabelSelector): string {
  const labels = Object.entries(selector.matchLabels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`)
    .join('');
  const expressions = (selector.matchExpressions ?? [])
    .map(
      e =>
        `LabelSelectorRequirement{Key:${e.key ?? ''},Operator:${e.operator ?? ''},Values:[${(e.values ?? []).join(' ')}],},`,
    )
    .join('');
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}
