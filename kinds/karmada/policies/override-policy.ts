/** Fills in and validates OverridePolicies and ClusterOverridePolicies. */
import { labelFaults } from '../../../apimachinery/selectors/label-faults.js';
import { annotationFaults } from '../../../registry/strategy/metadata.js';
import type { Field } from '../../shared/rules/field.js';
import { clusterAffinity } from './affinity-rules.js';
import { fieldOverriders, overriders as overridersType } from '../crds/override-policies.js';
import { clusterAffinity as affinityType } from '../crds/placement.js';
import { asGo } from './go-form.js';
import { ruleRefusal } from '../refusal.js';
import type { Mutate, WebhookRule } from '../rules.js';
import { selectorNamespaces } from './selector-rules.js';
import type { OverridePolicy, Overriders } from '../../../api/karmada/types.js';

type FieldOverrider = NonNullable<Overriders['fieldOverrider']>[number];
type DocumentPatch = NonNullable<FieldOverrider['json']>[number];

/** Selectors without a namespace mean that of the policy. */
export const completeOverridePolicy: Mutate<OverridePolicy> = ({ spec }, _old, { namespace }) => {
  for (const selector of spec.resourceSelectors ?? []) selector.namespace ||= namespace;
};

// as go-openapi/jsonpointer New
function pointer(field: Field<string>): void {
  const text = field.value ?? '';
  if (text !== '' && !text.startsWith('/'))
    field.invalid('JSON pointer must be empty or start with a "/"\nJSON pointer error');
}

function documentPatch(patch: Field<DocumentPatch>): void {
  pointer(patch.at('subPath'));
  const value = patch.at('value') as Field<unknown>;
  const removes = patch.value?.operator === 'remove';
  if (!removes && !value.isSet) value.invalid('value is required for add or replace operation');
  if (removes && value.isSet) value.invalid('value is not allowed for remove operation');
}

function fieldOverrider(overrider: Field<FieldOverrider>): void {
  const json = overrider.at('json');
  const yaml = overrider.at('yaml');
  if (!json.isEmpty && !yaml.isEmpty) {
    const text = 'FieldOverrider has both YAML and JSON set. Only one is allowed';
    overrider.invalid(text, asGo(overrider.value, fieldOverriders.items ?? {}));
  }
  if (json.isEmpty && yaml.isEmpty) overrider.required('FieldOverrider must have either JSON or YAML set');
  pointer(overrider.at('fieldPath'));
  for (const patch of [...json.items(), ...yaml.items()]) documentPatch(patch);
}

function overriders(field: Field<Overriders>): void {
  for (const { value, path } of field
    .at('annotationsOverrider')
    .items()
    .map(each => each.at('value')))
    field.add(...annotationFaults(value, path));
  for (const { value, path } of field
    .at('labelsOverrider')
    .items()
    .map(each => each.at('value')))
    field.add(...labelFaults(value, path));
  for (const image of field.at('imageOverrider').items()) pointer(image.at('predicate').at('path'));
  for (const each of field.at('fieldOverrider').items()) fieldOverrider(each);
}

/** Overriders of fields were added upstream later, and are not counted. */
const isEmpty = ({ fieldOverrider: _, ...others }: Overriders): boolean =>
  Object.values(others).every(each => each.length === 0);

// as pkg/util/validation ValidateOverrideSpec
function overrideSpec(spec: Field<OverridePolicy['spec']>, namespace: string): void {
  const target = spec.at('targetCluster');
  const old = spec.at('overriders');
  const rules = spec.at('overrideRules');
  clusterAffinity(target);
  if (target.isSet && rules.isSet)
    target.invalid("overrideRules and targetCluster can't co-exist", asGo(target.value, affinityType('')));
  if (rules.isSet && !isEmpty(old.value ?? {}))
    old.invalid("overrideRules and overriders can't co-exist", asGo(old.value, overridersType));
  for (const rule of rules.items()) {
    overriders(rule.at('overriders'));
    clusterAffinity(rule.at('targetCluster'));
  }
  selectorNamespaces(spec.at('resourceSelectors'), namespace);
}

/** Refuses overriders that cannot be applied. as pkg/webhook/overridepolicy ValidatingAdmission.Handle */
export const validateOverridePolicy: WebhookRule<OverridePolicy> = (policy, _old, { namespace }) =>
  ruleRefusal<OverridePolicy>(policy, root => overrideSpec(root.at('spec'), namespace));
