/** What is wrong with how clusters are selected. as pkg/util/validation */
import type { Fault } from '../../../openapi/interface.js';
import { child, index, invalidValue } from '../../../openapi/meta/faults.js';
import { goQuote } from '../../../openapi/meta/go-text.js';
import { checkLabelKey } from '../../../openapi/meta/names.js';
import { affinityTerms, fieldSelector, overflowTerms } from './crds/placement.js';
import { asGo } from './go-form.js';
import type { ClusterAffinity, ClusterAffinityTerm, FieldSelector } from './types.js';

const fields = ['provider', 'region', 'zone'];
const operators = ['In', 'NotIn'];

function selectorFault({ matchExpressions }: FieldSelector): string | undefined {
  for (const { key, operator } of matchExpressions ?? []) {
    if (!fields.includes(key)) return `unsupported key ${goQuote(key)}, must be provider, region, or zone`;
    if (!operators.includes(operator)) return `unsupported operator ${goQuote(operator)}, must be In or NotIn`;
  }
  return undefined;
}

export function affinityFaults(affinity: ClusterAffinity | undefined, path: string): Fault[] {
  const selector = affinity?.fieldSelector;
  const text = selector && selectorFault(selector);
  return text === undefined ? [] : [invalidValue(child(path, 'fieldSelector'), asGo(selector, fieldSelector), text)];
}

const isEmpty = ({ labelSelector, fieldSelector, clusterNames, exclude }: ClusterAffinity): boolean =>
  !labelSelector && !fieldSelector && !clusterNames?.length && !exclude?.length;

function overflowFaults(term: ClusterAffinityTerm, path: string): Fault[] {
  const { affinityName, overflowAffinities: overflow } = term;
  if (!overflow) return [];
  const faults: Fault[] = [];
  const at = child(path, 'overflowAffinities');
  if (isEmpty(term)) {
    const text = 'overflowAffinities can only be used together with the inline ClusterAffinity';
    faults.push(invalidValue(at, asGo(overflow, overflowTerms), text));
  }
  const names = new Set([affinityName]);
  for (const [i, each] of overflow.entries()) {
    const name = each.affinityName;
    const where = child(index(at, i), 'affinityName');
    for (const text of checkLabelKey(name)) faults.push(invalidValue(where, name, text));
    if (names.has(name)) {
      const text = "overflow affinity name must be unique and must not duplicate the primary group's affinityName";
      faults.push(invalidValue(where, name, text));
    }
    names.add(name);
    faults.push(...affinityFaults(each, index(at, i)));
  }
  return faults;
}

export function affinityTermFaults(terms: readonly ClusterAffinityTerm[], path: string): Fault[] {
  const faults: Fault[] = [];
  const names = new Set<string>();
  for (const [i, term] of terms.entries()) {
    const at = index(path, i);
    for (const text of checkLabelKey(term.affinityName)) faults.push(invalidValue(at, term.affinityName, text));
    if (names.has(term.affinityName))
      faults.push(
        invalidValue(path, asGo(terms, affinityTerms), 'each affinity term in a policy must have a unique name'),
      );
    names.add(term.affinityName);
    faults.push(...affinityFaults(term, at), ...overflowFaults(term, at));
  }
  return faults;
}
