/** OverridePolicy and ClusterOverridePolicy as they are written (inventory ADM-03, ADM-12, ADM-13, ADM-32). */
import type { Fault } from '../../../openapi/interface.js';
import { child, index, invalidValue, required } from '../../../openapi/meta/faults.js';
import { labelFaults } from '../../../openapi/meta/label-faults.js';
import { faultsText } from '../../../openapi/meta/status.js';
import { annotationFaults } from '../../strategy/metadata.js';
import { affinityFaults } from './affinity-faults.js';
import { fieldOverriders, overriders as overridersType } from './crds/override-policies.js';
import { clusterAffinity } from './crds/placement.js';
import { asGo } from './go-form.js';
import type { Judge, Mutate } from './rules.js';
import { selectorNamespaceFaults } from './selector-faults.js';
import type { OverridePolicy, Overriders } from './types.js';

type FieldOverrider = NonNullable<Overriders['fieldOverrider']>[number];
type DocumentPatch = NonNullable<FieldOverrider['json']>[number];

export const completeOverridePolicy: Mutate<OverridePolicy> = ({ spec }, _old, { namespace }) => {
  for (const selector of spec.resourceSelectors ?? []) selector.namespace ||= namespace;
};

// as go-openapi/jsonpointer New
function pointerFaults(pointer: string, path: string): Fault[] {
  if (pointer === '' || pointer.startsWith('/')) return [];
  return [invalidValue(path, pointer, 'JSON pointer must be empty or start with a "/"\nJSON pointer error')];
}

function patchFaults(patches: readonly DocumentPatch[], path: string): Fault[] {
  return patches.flatMap(({ subPath, operator, value = null }, i) => {
    const at = index(path, i);
    const faults = pointerFaults(subPath, child(at, 'subPath'));
    const wrong = (text: string): void => void faults.push(invalidValue(child(at, 'value'), value, text));
    if (operator !== 'remove' && value === null) wrong('value is required for add or replace operation');
    if (operator === 'remove' && value !== null) wrong('value is not allowed for remove operation');
    return faults;
  });
}

function fieldFaults(overrider: FieldOverrider, path: string): Fault[] {
  const { fieldPath, json = [], yaml = [] } = overrider;
  const faults: Fault[] = [];
  if (json.length > 0 && yaml.length > 0) {
    const text = 'FieldOverrider has both YAML and JSON set. Only one is allowed';
    faults.push(invalidValue(path, asGo(overrider, fieldOverriders.items ?? {}), text));
  }
  if (json.length === 0 && yaml.length === 0)
    faults.push(required(path, 'FieldOverrider must have either JSON or YAML set'));
  faults.push(
    ...pointerFaults(fieldPath, child(path, 'fieldPath')),
    ...patchFaults(json, child(path, 'json')),
    ...patchFaults(yaml, child(path, 'yaml')),
  );
  return faults;
}

function overridersFaults(overriders: Overriders, path: string): Fault[] {
  const { annotationsOverrider = [], labelsOverrider = [], imageOverrider = [], fieldOverrider = [] } = overriders;
  const at = (field: keyof Overriders, i: number): string => index(child(path, field), i);
  return [
    ...annotationsOverrider.flatMap(({ value }, i) =>
      annotationFaults(value, child(at('annotationsOverrider', i), 'value')),
    ),
    ...labelsOverrider.flatMap(({ value }, i) => labelFaults(value, child(at('labelsOverrider', i), 'value'))),
    ...imageOverrider.flatMap(({ predicate }, i) =>
      predicate ? pointerFaults(predicate.path, child(at('imageOverrider', i), 'predicate', 'path')) : [],
    ),
    ...fieldOverrider.flatMap((each, i) => fieldFaults(each, at('fieldOverrider', i))),
  ];
}

/** Overriders of documents in fields came later, and are not thought of. */
const isEmpty = ({ fieldOverrider: _, ...others }: Overriders): boolean =>
  Object.values(others).every(each => each.length === 0);

// as pkg/util/validation ValidateOverrideSpec
export const judgeOverridePolicy: Judge<OverridePolicy> = ({ spec }, _old, { namespace }) => {
  const { targetCluster, overriders = {}, overrideRules } = spec;
  const faults = affinityFaults(targetCluster, 'spec.targetCluster');
  if (targetCluster && overrideRules) {
    const text = "overrideRules and targetCluster can't co-exist";
    faults.push(invalidValue('spec.targetCluster', asGo(targetCluster, clusterAffinity('')), text));
  }
  if (overrideRules && !isEmpty(overriders)) {
    const text = "overrideRules and overriders can't co-exist";
    faults.push(invalidValue('spec.overriders', asGo(overriders, overridersType), text));
  }
  for (const [i, rule] of (overrideRules ?? []).entries()) {
    const path = index('spec.overrideRules', i);
    faults.push(
      ...overridersFaults(rule.overriders, child(path, 'overriders')),
      ...affinityFaults(rule.targetCluster, child(path, 'targetCluster')),
    );
  }
  faults.push(...selectorNamespaceFaults(spec.resourceSelectors, namespace));
  return faults.length > 0 ? faultsText(faults) : undefined;
};
