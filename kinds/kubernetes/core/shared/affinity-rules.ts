/** Validates which nodes, and which other pods, a pod should be near to or far from. */
// as pkg/apis/core/validation validateAffinity
import { labelSelectorFaults } from '../../../../apimachinery/selectors/label-faults.js';
import type { LabelSelector } from '../../../../apimachinery/selectors/label-selectors.js';
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelKey,
  checkLabelValue,
} from '../../../../apimachinery/meta/names.js';
import { Field } from '../../../shared/rules/field.js';
import type {
  Affinity,
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from '../../../../api/kubernetes/core.js';
import type { LabelSelector as DraftSelector } from '../../../../api/kubernetes/meta.js';
import type { PodOptions } from './pod-options.js';

type AcceptedErrors = Pick<PodOptions, 'allowBadAffinitySelectors' | 'allowBadNodeAffinityValues'>;

/** Checks the affinity to nodes, if there is one, and that to Pods. as pkg/apis/core/validation validateAffinity */
export function affinity(field: Field<Affinity>, options: PodOptions): void {
  if (field.at('nodeAffinity').isSet) nodeAffinity(field.at('nodeAffinity'), options);
  podAffinity(field, options);
}

/** Checks required and preferred terms. Values of preferred terms need not be values of labels. as pkg/apis/core/validation validateNodeAffinity */
export function nodeAffinity(field: Field<NodeAffinity>, options: AcceptedErrors): void {
  const required = field.at('requiredDuringSchedulingIgnoredDuringExecution');
  if (required.isSet) nodeSelector(required, options.allowBadNodeAffinityValues);
  for (const term of field.at('preferredDuringSchedulingIgnoredDuringExecution').items()) {
    weight(term.at('weight'));
    nodeSelectorTerm(term.at('preference'), true);
  }
}

function weight(field: Field<number>): void {
  const value = field.value ?? 0;
  if (value <= 0 || value > 100) field.invalid('must be in the range 1-100', value);
}

/** Requires a term. `allowBadValues`: values that no label can have are accepted. as pkg/apis/core/validation ValidateNodeSelector */
export function nodeSelector(selector: Field<NodeSelector>, allowBadValues: boolean): void {
  const terms = selector.at('nodeSelectorTerms');
  if (terms.isEmpty) terms.required('must have at least one node selector term');
  for (const term of terms.items()) nodeSelectorTerm(term, allowBadValues);
}

function nodeSelectorTerm(term: Field<NodeSelectorTerm>, allowBadValues: boolean): void {
  for (const requirement of term.at('matchExpressions').items()) nodeLabel(requirement, allowBadValues);
  for (const requirement of term.at('matchFields').items()) nodeField(requirement);
}

function nodeLabel(requirement: Field<NodeSelectorRequirement>, allowBadValues: boolean): void {
  const values = requirement.at('values');
  const operator = requirement.value?.operator ?? '';
  const count = (values.value ?? []).length;
  if (operator === 'In' || operator === 'NotIn') {
    if (count === 0) values.required("must be specified when `operator` is 'In' or 'NotIn'");
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (count > 0) values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (count !== 1) values.required("must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else requirement.at('operator').invalid('not a valid selector operator', operator);
  requirement.at('key').check(checkLabelKey);
  if (!allowBadValues) for (const value of values.items()) value.check(checkLabelValue);
}

function nodeField(requirement: Field<NodeSelectorRequirement>): void {
  const { key = '', operator = '', values = [] } = requirement.value ?? {};
  if (operator !== 'In' && operator !== 'NotIn')
    requirement.at('operator').invalid('not a valid selector operator', operator);
  else if (values.length !== 1)
    requirement
      .at('values')
      .required("must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  if (key !== 'metadata.name') requirement.at('key').invalid('not a valid field selector key', key);
  else for (const value of requirement.at('values').items()) value.check(checkDns1123Subdomain);
}

/** The terms of both pod affinity and pod anti-affinity must be valid. */
export function podAffinity(field: Field<Affinity>, options: AcceptedErrors): void {
  for (const kind of ['podAffinity', 'podAntiAffinity'] as const) {
    const terms = field.at(kind) as Field<PodAffinity>;
    for (const term of terms.at('requiredDuringSchedulingIgnoredDuringExecution').items()) podTerm(term, options);
    for (const weighted of terms.at('preferredDuringSchedulingIgnoredDuringExecution').items()) {
      weight(weighted.at('weight'));
      podTerm(weighted.at('podAffinityTerm'), options);
    }
  }
}

function podTerm(term: Field<PodAffinityTerm>, options: AcceptedErrors): void {
  const forgiving = { allowInvalidValues: options.allowBadAffinitySelectors };
  for (const name of ['labelSelector', 'namespaceSelector'] as const)
    term.add(...labelSelectorFaults(term.value?.[name] as LabelSelector | undefined, term.at(name), forgiving));
  for (const namespace of term.value?.namespaces ?? [])
    for (const text of checkDns1123Label(namespace))
      new Field(namespace, `${term.path}.namespace`, term.faults).invalid(text);
  labelKeys(term);
  const key = term.at('topologyKey');
  if (key.isEmpty) key.required('can not be empty');
  key.check(checkLabelKey);
}

interface WithLabelKeys {
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
  labelSelector?: DraftSelector;
}

/** Validates label keys whose values come from the pod itself. */
// as pkg/apis/core/validation ValidateMatchLabelKeysAndMismatchLabelKeys
export function labelKeys(place: Field<WithLabelKeys>): void {
  const { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector } = place.value ?? {};
  for (const name of ['matchLabelKeys', 'mismatchLabelKeys'] as const) {
    const keys = place.at(name);
    if (keys.isEmpty) continue;
    if (!labelSelector) keys.forbidden('must not be specified when labelSelector is not set');
    else for (const key of keys.items()) key.check(checkLabelKey);
  }
  if (labelSelector) {
    const seen = new Set(Object.keys(labelSelector.matchLabels ?? {}));
    for (const { key = '' } of labelSelector.matchExpressions ?? []) {
      const at = matchLabelKeys.lastIndexOf(key);
      // The index directly follows the path, as upstream has it.
      if (at >= 0 && seen.has(key))
        place.as(`${place.path}[${at}]`).invalid('exists in both matchLabelKeys and labelSelector', key);
      seen.add(key);
    }
  }
  for (const key of place.at('matchLabelKeys').items())
    if (mismatchLabelKeys.includes(key.value ?? '')) key.invalid('exists in both matchLabelKeys and mismatchLabelKeys');
}
