// as pkg/apis/storage/validation ValidateStorageClass, ValidateStorageClassUpdate
import { checkLabelKey } from '../../../apimachinery/meta/names.js';
import type { Validate } from '../../../registry/interface.js';
import { deprecatedNodeLabel } from '../core/shared/node-label-warnings.js';
import type { Field } from '../../shared/rules/field.js';
import { immutable } from '../../shared/rules/immutable.js';
import { shownMap } from '../../shared/go-text/internal-json.js';
import { validate, validateChange } from '../../shared/rules/validate.js';
import { warnings } from '../../shared/rules/warnings.js';
import type { TopologySelectorTerm } from '../../../api/kubernetes/core.js';
import type { StorageClass } from '../../../api/kubernetes/storage.js';
import { parameters, provisioner } from './class-parameter-rules.js';

const reclaimPolicies = ['Delete', 'Retain'];
const bindingModes = ['Immediate', 'WaitForFirstConsumer'];

/** Returns what the term selects, as text that is equal for equal terms. */
function termOf(term: Field<TopologySelectorTerm>): string {
  const selected = new Map<string, readonly string[]>();
  for (const expression of term.at('matchLabelExpressions').items()) {
    const values = expression.at('values');
    const seen = new Set<string>();
    if (values.isEmpty) values.required();
    for (const value of values.items()) {
      if (seen.has(value.value ?? '')) value.duplicate();
      seen.add(value.value ?? '');
    }
    const key = expression.at('key');
    key.check(checkLabelKey);
    if (selected.has(key.value ?? '')) key.duplicate();
    selected.set(key.value ?? '', [...seen].sort());
  }
  return JSON.stringify([...selected].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Upstream's list starts with as many empty terms as there are terms, and reports a term once for every equal one. */
function topologies(list: Field<TopologySelectorTerm[]>): void {
  const seen = list.items().map(() => '[]');
  for (const term of list.items()) {
    const selected = termOf(term);
    for (const other of seen) if (other === selected) term.at('matchLabelExpressions').duplicate('');
    seen.push(selected);
  }
}

export const storageClassRules: readonly Validate[] = [
  validate<StorageClass>(storageClass => {
    provisioner(storageClass.at('provisioner'));
    parameters(storageClass.at('parameters'), true);
    const policy = storageClass.at('reclaimPolicy');
    if (!policy.isEmpty && !reclaimPolicies.includes(policy.value ?? '')) policy.notSupported(reclaimPolicies);
    const mode = storageClass.at('volumeBindingMode');
    if (!mode.isSet) mode.required();
    else if (!bindingModes.includes(mode.value ?? '')) mode.notSupported(bindingModes);
    topologies(storageClass.at('allowedTopologies'));
  }),
];

export const storageClassChangeRules: readonly Validate[] = [
  ...storageClassRules,
  validateChange<StorageClass>((storageClass, old) => {
    immutable(storageClass.at('parameters'), old.parameters, () => shownMap(storageClass.value?.parameters));
    immutable(storageClass.at('provisioner'), old.provisioner);
    immutable(storageClass.at('reclaimPolicy'), old.reclaimPolicy);
    immutable(storageClass.at('volumeBindingMode'), old.volumeBindingMode);
  }),
];

export const storageClassWarnings = warnings<StorageClass>((storageClass, warn) => {
  for (const term of storageClass.at('allowedTopologies').items())
    for (const expression of term.at('matchLabelExpressions').items()) {
      const key = expression.at('key');
      const text = deprecatedNodeLabel(key.value ?? '');
      if (text !== undefined) warn(`${key.path}: ${text}`);
    }
});
