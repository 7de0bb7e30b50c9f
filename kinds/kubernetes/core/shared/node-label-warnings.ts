/** Warns about labels of nodes that were renamed. */
// as pkg/api/node deprecatedNodeLabels
import { checkLabelValue } from '../../../../apimachinery/meta/names.js';
import type { Field } from '../../../shared/rules/field.js';
import type { Warn } from '../../../shared/rules/warnings.js';
import type { NodeSelectorTerm } from '../../../../api/kubernetes/core.js';
import type { LabelSelector } from '../../../../api/kubernetes/meta.js';
import {
  archLabel,
  betaArchLabel,
  betaInstanceTypeLabel,
  betaOsLabel,
  masterRoleLabel,
  betaRegionLabel,
  betaZoneLabel,
  instanceTypeLabel,
  osLabel,
  preferAvoidPodsAnnotation,
  regionLabel,
  zoneLabel,
} from '../../../../api/kubernetes/well-known.js';

const since = (version: string, name: string): string => `deprecated since ${version}; use "${name}" instead`;
const texts: ReadonlyMap<string, string> = new Map([
  [betaArchLabel, since('v1.14', archLabel)],
  [betaOsLabel, since('v1.14', osLabel)],
  [betaRegionLabel, since('v1.17', regionLabel)],
  [betaZoneLabel, since('v1.17', zoneLabel)],
  [betaInstanceTypeLabel, since('v1.17', instanceTypeLabel)],
  ['app.kubernetes.io/created-by', 'deprecated since v1.9'],
  [preferAvoidPodsAnnotation, 'deprecated since v1.22; use Taints and Tolerations instead'],
  [masterRoleLabel, 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/** Returns the text about a deprecated label; undefined for all others. */
export const deprecatedNodeLabel = (label: string): string | undefined => texts.get(label);

/** Warns about a field that contains the name of a label. */
export function nodeLabelWarning(field: Field<string>, warn: Warn): void {
  const text = deprecatedNodeLabel(field.value ?? '');
  if (text !== undefined) warn(`${field.path}: ${field.value} is ${text}`);
}

/** Warns about a map whose keys are labels; `pathOf` returns the path of each. */
export function nodeLabelsWarnings(
  labels: Readonly<Record<string, string>> | undefined,
  pathOf: (label: string) => string,
  warn: Warn,
): void {
  for (const label of Object.keys(labels ?? {}).sort()) {
    const text = deprecatedNodeLabel(label);
    if (text !== undefined) warn(`${pathOf(label)}: ${text}`);
  }
}

/** `checksValues`: preferred terms may have any values, so invalid label values only cause a warning. */
export function nodeSelectorTermWarnings(term: Field<NodeSelectorTerm>, checksValues: boolean, warn: Warn): void {
  for (const expression of term.at('matchExpressions').items()) {
    nodeLabelWarning(expression.at('key'), warn);
    if (!checksValues) continue;
    for (const value of expression.at('values').items())
      for (const text of checkLabelValue(value.value ?? '')) warn(`${value.path}: ${value.value} is invalid, ${text}`);
  }
}

/** Warns of labels of nodes that are deprecated in a label selector for nodes. as pkg/api/node GetWarningsForNodeSelector */
export function nodeLabelSelectorWarnings(selector: Field<LabelSelector>, warn: Warn): void {
  for (const expression of selector.at('matchExpressions').items()) nodeLabelWarning(expression.at('key'), warn);
  const labels = selector.at('matchLabels');
  nodeLabelsWarnings(labels.value, label => `${labels.path}.${label}`, warn);
}
