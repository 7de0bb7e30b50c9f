/** Checks that workloads select the pods that their template creates. */
import { type LabelSelector, type Selector, selectorOf } from '../../../apimachinery/selectors/label-selectors.js';
import type { Field } from '../../shared/rules/field.js';
import { shownMap, shownSelector } from '../../shared/go-text/internal-json.js';
import { immutable } from '../../shared/rules/immutable.js';
import { labelSelector } from '../../shared/rules/selector-rules.js';
import type { PodTemplateSpec } from '../../../api/kubernetes/core.js';
import type { LabelSelector as DraftSelector } from '../../../api/kubernetes/meta.js';

/** Returns undefined for an invalid selector. An unset one matches nothing. */
export function compiled(selector: DraftSelector | undefined): Selector | undefined {
  try {
    return selectorOf(selector as LabelSelector | undefined);
  } catch {
    return undefined;
  }
}

/** Reports whether a selector selects everything. */
export function isEmptySelector(selector: DraftSelector | undefined): boolean {
  return Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions ?? []).length === 0;
}

/** Requires a valid selector that does not select everything. `what`: the name of the kind in the text. */
export function requiredSelector(field: Field<DraftSelector>, what: string): void {
  if (!field.isSet) {
    field.required();
    return;
  }
  labelSelector(field);
  if (isEmptySelector(field.value)) field.invalid(`empty selector is invalid for ${what}`, shownSelector(field.value));
}

/** The selector of a workload is immutable. */
export function keptSelector(field: Field<DraftSelector>, old: DraftSelector | undefined): void {
  immutable(field, old, () => shownSelector(field.value));
}

/** The template's labels must match the selector. */
export function selects(selector: Selector, template: Field<PodTemplateSpec>): void {
  const labels = template.at('metadata').at('labels');
  if (selector.empty || selector.matches(labels.value)) return;
  labels.invalid('`selector` does not match template `labels`', shownMap(labels.value));
}

/** Pods of long-running workloads are always restarted, and have no deadline. */
export function alwaysRestarts(template: Field<PodTemplateSpec>, what: string): void {
  const spec = template.at('spec');
  if (spec.value?.restartPolicy !== 'Always') spec.at('restartPolicy').notSupported(['Always']);
  if (spec.at('activeDeadlineSeconds').isSet)
    spec.at('activeDeadlineSeconds').forbidden(`activeDeadlineSeconds in ${what} is not Supported`);
}
