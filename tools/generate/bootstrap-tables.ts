/** Generates the tables of the objects that a fresh server creates; `authn/bootstrap/tables.ts` describes the format. */
import path from 'node:path';
import type { BindingFact, BootstrapTables, RoleFact, RuleFact } from '../../authn/bootstrap/tables.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import type * as rbac from '../../api/kubernetes/rbac.js';
import { readJson } from './upstream.js';
import { bootstrappingLabel } from '../../api/kubernetes/well-known.js';

/** Labels of every bootstrap object, which the code adds. */
const common = new Set([bootstrappingLabel]);

function ownLabels({ metadata }: KubeObject): { labels?: Record<string, string> } {
  const own = Object.entries(metadata.labels ?? {}).filter(([key]) => !common.has(key));
  return own.length === 0 ? {} : { labels: Object.fromEntries(own) };
}

const place = ({ metadata: { name = '', namespace } }: KubeObject): { name: string; namespace?: string } => ({
  name,
  ...(namespace !== undefined && { namespace }),
});

const rule = ({ verbs = [], apiGroups, resources, resourceNames, nonResourceURLs }: rbac.PolicyRule): RuleFact => ({
  verbs,
  ...(apiGroups && { apiGroups }),
  ...(resources && { resources }),
  ...(resourceNames && { resourceNames }),
  ...(nonResourceURLs && { nonResourceURLs }),
});

function role(object: KubeObject): RoleFact {
  const { rules, aggregationRule } = object as rbac.ClusterRole;
  const selectors = aggregationRule?.clusterRoleSelectors as RoleFact['aggregate'];
  return {
    ...place(object),
    ...ownLabels(object),
    ...(selectors && { aggregate: selectors }),
    rules: (rules as rbac.PolicyRule[] | null | undefined)?.map(rule) ?? null,
  };
}

function binding(object: KubeObject): BindingFact {
  const { roleRef, subjects } = object as rbac.RoleBinding;
  return {
    ...place(object),
    ...ownLabels(object),
    role: `${roleRef?.kind ?? ''}/${roleRef?.name ?? ''}`,
    subjects: (subjects ?? []).map(({ kind = '', namespace, name = '' }) =>
      [kind, ...(namespace === undefined ? [] : [namespace]), name].join('/'),
    ),
  };
}

/** Returns the tables. `upstream` is the folder with fresh-server.json. */
export function bootstrapTablesOf(upstream: string): BootstrapTables {
  const { items } = readJson(path.join(upstream, 'fresh-server.json')) as { items: readonly KubeObject[] };
  const of = (kind: string): readonly KubeObject[] => items.filter(item => item.kind === kind);
  const named = <T>(kind: string, value: (object: KubeObject) => T): Record<string, T> =>
    Object.fromEntries(of(kind).map(object => [object.metadata.name ?? '', value(object)]));
  const spec = (object: KubeObject): Record<string, unknown> => object['spec'] as Record<string, unknown>;
  return {
    clusterRoles: of('ClusterRole').map(role),
    clusterRoleBindings: of('ClusterRoleBinding').map(binding),
    roles: of('Role').map(role),
    roleBindings: of('RoleBinding').map(binding),
    flowSchemas: named('FlowSchema', spec),
    priorityLevels: named('PriorityLevelConfiguration', spec),
    priorityClasses: named('PriorityClass', ({ value, description }) => ({ value, description })),
  };
}
