import type { GroupVersionResource, JsonObject, KubeObject } from '../../apimachinery/interface.js';
import { deepEqual } from '../../lib/json/equality.js';
import { type LabelSelector, selectorOf } from '../../apimachinery/selectors/label-selectors.js';
import type { ControllerContext } from '../../client/runtime/interface.js';

const clusterRoles: GroupVersionResource = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource: 'clusterroles',
};

interface ClusterRole extends KubeObject {
  aggregationRule?: { clusterRoleSelectors?: LabelSelector[] };
  rules?: JsonObject[] | null;
}

/** Writes the rules of aggregated ClusterRoles, such as admin, edit and view. as pkg/controller/clusterroleaggregation */
export function startClusterRoleAggregation(context: ControllerContext): void {
  const roles = context.informers.informer<ClusterRole>(clusterRoles);
  context.run({
    name: 'clusterrole-aggregation-controller',
    workers: 1,
    synced: [roles.synced],
    wire: queue =>
      roles.onChange(() => {
        for (const role of roles.list()) if (role.aggregationRule) queue.add(role.metadata.name ?? '');
      }),
    reconcile: async name => {
      const role = roles.get(name);
      if (!role?.aggregationRule) return;
      const rules = aggregate(role, roles.list());
      if (deepEqual(rules, role.rules ?? [])) return;
      const patch = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name },
        rules,
      };
      const fieldManager = 'clusterrole-aggregation-controller';
      await context.client.patch(clusterRoles, { name }, { type: 'apply', patch, force: true }, { fieldManager });
    },
  });
}

/** Returns the rules of all roles that a selector matches, ordered by role name, without duplicates. */
function aggregate(role: ClusterRole, all: readonly ClusterRole[]): JsonObject[] {
  const rules: JsonObject[] = [];
  for (const selector of role.aggregationRule?.clusterRoleSelectors?.map(s => selectorOf(s)) ?? []) {
    const matching = all.filter(other => other !== role && selector.matches(other.metadata.labels));
    matching.sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
    for (const rule of matching.flatMap(other => other.rules ?? []))
      if (!rules.some(known => deepEqual(known, rule))) rules.push(rule);
  }
  return rules;
}
