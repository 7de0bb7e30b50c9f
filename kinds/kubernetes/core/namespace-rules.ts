// as pkg/apis/core/validation ValidateNamespace*
import { checkQualifiedName } from '../../../apimachinery/meta/names.js';
import type { Validate } from '../../../registry/interface.js';
import type { Field } from '../../shared/rules/field.js';
import { validate } from '../../shared/rules/validate.js';
import type { Namespace } from '../../../api/kubernetes/core.js';

const standard = ['orphan', 'foregroundDeletion', 'kubernetes'];

function finalizer(field: Field<string>): void {
  const name = field.value ?? '';
  for (const text of checkQualifiedName(name)) field.invalid(text, name);
  if (!name.includes('/') && !standard.includes(name))
    field.invalid('name is neither a standard finalizer name nor is it fully qualified', name);
}

export const namespaceRules: readonly Validate[] = [
  validate<Namespace>(namespace => {
    const list = namespace.at('spec').at('finalizers');
    for (const field of list.items()) finalizer(field.as(list.path));
  }),
];

export const finalizeRules: readonly Validate[] = [
  validate<Namespace>(namespace => {
    for (const field of namespace.at('spec').at('finalizers').items()) finalizer(field);
  }),
];

export const namespaceStatusRules: readonly Validate[] = [
  validate<Namespace>(namespace => {
    const status = namespace.at('status');
    const phase = status.at('phase').named(status, 'Phase');
    const isTerminating = namespace.value?.metadata.deletionTimestamp !== undefined;
    const [wanted, not] = isTerminating ? ['Terminating', 'not '] : ['Active', ''];
    if (phase.value !== wanted)
      phase.invalid(`may only be '${wanted}' if \`deletionTimestamp\` is ${not}empty`, phase.value ?? '');
  }),
];
