/** The roles and bindings of a fresh server. */
import { rbacGroup } from '../../kinds/kubernetes/rbac/rules.js';
import { expected, type Expected } from './expected.js';
import { reconcileBinding, reconcileRole } from './reconcile.js';
import { bootstrapTables, type BindingFact, type RoleFact } from './tables.js';
import { autoupdateAnnotation, bootstrappingLabel } from '../../api/kubernetes/well-known.js';

const apiVersion = `${rbacGroup}/v1`;

/** Metadata of the default RBAC objects. */
const marks = {
  labels: { [bootstrappingLabel]: 'rbac-defaults' },
  annotations: { [autoupdateAnnotation]: 'true' },
};

type Marks = { readonly labels?: Record<string, string>; readonly annotations?: Record<string, string> };

function metadataOf(fact: RoleFact | BindingFact, { labels, annotations }: Marks) {
  const all = { ...labels, ...fact.labels };
  return {
    name: fact.name,
    ...(fact.namespace !== undefined && { namespace: fact.namespace }),
    ...(Object.keys(all).length > 0 && { labels: all }),
    ...(annotations && { annotations }),
  };
}

/** Returns a Role if the fact has a namespace, otherwise a ClusterRole. `common`: labels and annotations of all. */
export function roleOf(fact: RoleFact, common: Marks = marks): Expected {
  const [kind, plural] = fact.namespace === undefined ? ['ClusterRole', 'clusterroles'] : ['Role', 'roles'];
  const body = {
    rules: fact.rules && structuredClone(fact.rules),
    ...(fact.aggregate && { aggregationRule: { clusterRoleSelectors: structuredClone(fact.aggregate) } }),
  };
  return expected(plural, { apiVersion, kind, metadata: metadataOf(fact, common), ...body }, reconcileRole);
}

/** Parses `User/x`, `Group/x`, or `ServiceAccount/namespace/x`. */
function subjectOf(text: string): object {
  const [kind = '', ...rest] = text.split('/');
  if (kind !== 'ServiceAccount') return { kind, apiGroup: rbacGroup, name: rest.join('/') };
  const [namespace, name] = rest;
  return { kind, name, namespace };
}

/** Returns a RoleBinding if the fact has a namespace, otherwise a ClusterRoleBinding. */
export function bindingOf(fact: BindingFact, common: Marks = marks): Expected {
  const [kind, plural] =
    fact.namespace === undefined ? ['ClusterRoleBinding', 'clusterrolebindings'] : ['RoleBinding', 'rolebindings'];
  const [roleKind = '', roleName = ''] = fact.role.split('/');
  const body = {
    subjects: fact.subjects.map(subjectOf),
    roleRef: { apiGroup: rbacGroup, kind: roleKind, name: roleName },
  };
  return expected(plural, { apiVersion, kind, metadata: metadataOf(fact, common), ...body }, reconcileBinding);
}

/**
 * Returns the roles and bindings that a server keeps as Kubernetes has them: what is missing of them is added at its start.
 * as plugin/pkg/auth/authorizer/rbac/bootstrappolicy
 */
export function policyObjects(): readonly Expected[] {
  const { clusterRoles, roles, clusterRoleBindings, roleBindings } = bootstrapTables();
  return [
    ...[...clusterRoles, ...roles].map(fact => roleOf(fact)),
    ...[...clusterRoleBindings, ...roleBindings].map(fact => bindingOf(fact)),
  ];
}
