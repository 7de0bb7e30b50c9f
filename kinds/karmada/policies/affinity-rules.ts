/** Validates how clusters are selected. as pkg/util/validation */
import { goQuote } from '../../../lib/go/go-text.js';
import { checkLabelKey } from '../../../apimachinery/meta/names.js';
import type { Field } from '../../shared/rules/field.js';
import { affinityTerms, fieldSelector, overflowTerms } from '../crds/placement.js';
import { asGo } from './go-form.js';
import type { ClusterAffinity, ClusterAffinityTerm, FieldSelector } from '../../../api/karmada/types.js';

const fields = ['provider', 'region', 'zone'];
const operators = ['In', 'NotIn'];

function selectorError({ matchExpressions }: FieldSelector): string | undefined {
  for (const { key, operator } of matchExpressions ?? []) {
    if (!fields.includes(key)) return `unsupported key ${goQuote(key)}, must be provider, region, or zone`;
    if (!operators.includes(operator)) return `unsupported operator ${goQuote(operator)}, must be In or NotIn`;
  }
  return undefined;
}

/** Checks the field selector, the only part that the schema does not describe. as pkg/util/validation ValidateClusterAffinity */
export function clusterAffinity(affinity: Field<ClusterAffinity>): void {
  const selector = affinity.at('fieldSelector');
  const text = selector.value && selectorError(selector.value);
  if (text !== undefined) selector.invalid(text, asGo(selector.value, fieldSelector));
}

const isEmpty = ({ labelSelector, fieldSelector, clusterNames, exclude }: ClusterAffinity): boolean =>
  !labelSelector && !fieldSelector && !clusterNames?.length && !exclude?.length;

function overflow(term: Field<ClusterAffinityTerm>): void {
  const list = term.at('overflowAffinities');
  if (!term.value || !list.isSet) return;
  if (isEmpty(term.value)) {
    const text = 'overflowAffinities can only be used together with the inline ClusterAffinity';
    list.invalid(text, asGo(list.value, overflowTerms));
  }
  const names = new Set([term.value.affinityName]);
  for (const each of list.items()) {
    const name = each.at('affinityName');
    name.check(checkLabelKey);
    if (names.has(name.value ?? ''))
      name.invalid("overflow affinity name must be unique and must not duplicate the primary group's affinityName");
    names.add(name.value ?? '');
    clusterAffinity(each);
  }
}

/** Checks the terms, whose names have to be unique since the status of a binding refers to them. as pkg/util/validation ValidateClusterAffinities */
export function clusterAffinities(terms: Field<ClusterAffinityTerm[]>): void {
  const names = new Set<string>();
  for (const term of terms.items()) {
    const { affinityName = '' } = term.value ?? {};
    for (const text of checkLabelKey(affinityName)) term.invalid(text, affinityName);
    if (names.has(affinityName))
      terms.invalid('each affinity term in a policy must have a unique name', asGo(terms.value, affinityTerms));
    names.add(affinityName);
    clusterAffinity(term);
    overflow(term);
  }
}
