/** The common part of RoleBindings and ClusterRoleBindings: defaults, rules, columns. */
import type { Fault, KubeObject } from '../../../apimachinery/interface.js';
import { child, index, invalidValue, notSupported, required } from '../../../apimachinery/errors/faults.js';
import { checkDns1123Subdomain, checkPathSegmentName } from '../../../apimachinery/meta/names.js';
import type { Strategy, Validate } from '../../../registry/interface.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn, wide } from '../../../registry/printer.js';
import type { RoleBinding, RoleRef, Subject } from '../../../api/kubernetes/rbac.js';
import { rbacGroup } from './rules.js';

/** as pkg/apis/rbac/v1/defaults.go */
export function bindingDefaults(draft: KubeObject): void {
  const { roleRef, subjects } = draft as RoleBinding;
  if (roleRef && !roleRef.apiGroup) roleRef.apiGroup = rbacGroup;
  for (const subject of subjects ?? [])
    if (!subject.apiGroup && (subject.kind === 'User' || subject.kind === 'Group')) subject.apiGroup = rbacGroup;
}

function roleRefFaults({ apiGroup = '', kind = '', name = '' }: RoleRef, kinds: readonly string[]): Fault[] {
  const faults: Fault[] = [];
  if (apiGroup !== rbacGroup) faults.push(notSupported('roleRef.apiGroup', apiGroup, [rbacGroup]));
  if (!kinds.includes(kind)) faults.push(notSupported('roleRef.kind', kind, kinds));
  if (name === '') faults.push(required('roleRef.name'));
  else faults.push(...checkPathSegmentName(name).map(text => invalidValue('roleRef.name', name, text)));
  return faults;
}

// as pkg/apis/rbac/validation/validation.go ValidateRoleBindingSubject
function subjectFaults(subject: Subject, namespaced: boolean, path: string): Fault[] {
  const { kind = '', name = '', apiGroup = '', namespace = '' } = subject;
  const faults: Fault[] = [];
  if (name === '') faults.push(required(child(path, 'name')));
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '')
        faults.push(...checkDns1123Subdomain(name).map(text => invalidValue(child(path, 'name'), name, text)));
      if (apiGroup !== '') faults.push(notSupported(child(path, 'apiGroup'), apiGroup, ['']));
      if (!namespaced && namespace === '') faults.push(required(child(path, 'namespace')));
      break;
    case 'User':
    case 'Group':
      if (apiGroup !== rbacGroup) faults.push(notSupported(child(path, 'apiGroup'), apiGroup, [rbacGroup]));
      break;
    default:
      faults.push(notSupported(child(path, 'kind'), kind, ['ServiceAccount', 'User', 'Group']));
  }
  return faults;
}

/** Go prints the internal type, which has no JSON names. */
const shownRef = ({ apiGroup = '', kind = '', name = '' }: RoleRef): object => ({
  APIGroup: apiGroup,
  Kind: kind,
  Name: name,
});

const sameRef = (a: RoleRef, b: RoleRef): boolean => JSON.stringify(shownRef(a)) === JSON.stringify(shownRef(b));

const sameRole: Validate = (object, old) => {
  const { roleRef = {} } = object as RoleBinding;
  const { roleRef: before = {} } = (old ?? object) as RoleBinding;
  return sameRef(roleRef, before) ? [] : [invalidValue('roleRef', shownRef(roleRef), 'cannot change roleRef')];
};

/** Returns the rules of a kind of bindings that may refer to these kinds of roles. */
export function bindingRules(
  kinds: readonly string[],
  namespaced: boolean,
): Pick<Strategy, 'validateCreate' | 'validateUpdate'> {
  const valid: Validate = object => {
    const { roleRef = {}, subjects } = object as RoleBinding;
    return [
      ...roleRefFaults(roleRef, kinds),
      ...(subjects ?? []).flatMap((subject, i) => subjectFaults(subject, namespaced, index('subjects', i))),
    ];
  };
  return { validateCreate: [valid], validateUpdate: [valid, sameRole] };
}

const columns = [name, textColumn('Role'), ageTextColumn, wide('Users'), wide('Groups'), wide('ServiceAccounts')];

const namesOf = (subjects: readonly Subject[], kind: string): string =>
  subjects
    .filter(subject => subject.kind === kind)
    .map(({ name = '', namespace = '' }) => (kind === 'ServiceAccount' ? `${namespace}/${name}` : name))
    .join(', ');

export const bindingPrinter = printer<RoleBinding>(columns, (binding, now) => {
  const subjects = binding.subjects ?? [];
  return [
    nameCell(binding),
    `${binding.roleRef?.kind ?? ''}/${binding.roleRef?.name ?? ''}`,
    ageCell(binding, now),
    ...['User', 'Group', 'ServiceAccount'].map(kind => namesOf(subjects, kind)),
  ];
});
