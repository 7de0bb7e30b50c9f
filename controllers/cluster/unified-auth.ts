import type { ClusterRole, ClusterRoleBinding, PolicyRule, Subject } from '../../openapi/gen/rbac-v1.js';
import type { GroupVersionResource, KubeObject, ObjectMeta } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { controllerReference } from '../../apimachinery/meta/owner.js';
import {
  clusterOfExecutionNamespace,
  executionNamespace,
  memberServiceAccountName,
  workName,
} from '../../api/karmada/names.js';
import type { Cluster, Work } from '../../api/karmada/types.js';
import { finalizers, labels, resources } from '../../api/karmada/well-known.js';
import { namespaces } from '../../api/kubernetes/resources.js';
import { isPassing } from '../../client/runtime/failures.js';
import { keyOf } from '../../client/runtime/informer.js';
import type { ControllerContext, WorkQueue } from '../../client/runtime/interface.js';
import { workOf } from '../work/work-of.js';
import { writeWork } from '../work/write-work.js';

const rbac = (resource: string): GroupVersionResource => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource,
});
const clusterRoles = rbac('clusterroles');
const clusterRoleBindings = rbac('clusterrolebindings');

const impersonator = 'karmada-impersonator';

/**
 * Lets users of the cluster proxy keep their identity in the member: the proxy's ServiceAccount there may impersonate exactly the
 * subjects that the control plane binds to a ClusterRole with `clusters/proxy` or `proxying/proxy`.
 * as pkg/controllers/unifiedauth Controller
 */
export function startUnifiedAuth(context: ControllerContext): void {
  const { client, informers } = context;
  const recorder = context.recorder('unified-auth-controller');
  const clusters = informers.informer<Cluster>(resources.clusters);
  const works = informers.informer<Work>(resources.works);
  const spaces = informers.informer(namespaces);
  const roles = informers.informer<ClusterRole>(clusterRoles);
  const bindings = informers.informer<ClusterRoleBinding>(clusterRoleBindings, {
    indexers: { role: ({ roleRef }) => (roleRef.kind === 'ClusterRole' ? [roleRef.name] : []) },
  });

  /** Returns the subjects that may reach the cluster through any role. */
  const subjectsOf = (cluster: string): Subject[] =>
    roles
      .list()
      .filter(role => role.rules?.some(rule => opens(rule, cluster)))
      .flatMap(role => bindings.byIndex('role', role.metadata.name ?? ''))
      .flatMap(({ subjects }) => subjects ?? []);

  async function sync(cluster: Cluster, secretNamespace: string): Promise<void> {
    const name = cluster.metadata.name ?? '';
    const meta = (): ObjectMeta => ({ name: impersonator, labels: { [labels.system]: 'true' } });
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const account = {
      kind: 'ServiceAccount',
      name: memberServiceAccountName('impersonator'),
      namespace: secretNamespace,
    };
    const objects: KubeObject[] = [
      { apiVersion, kind: 'ClusterRole', metadata: meta(), rules: impersonationRules(subjectsOf(name)) },
      {
        ...{ apiVersion, kind: 'ClusterRoleBinding', metadata: meta(), subjects: [account] },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: impersonator },
      },
    ];
    for (const object of objects) {
      const metadata = {
        name: workName(object.kind, impersonator, ''),
        namespace: executionNamespace(name),
        finalizers: [finalizers.execution],
        ownerReferences: [controllerReference(cluster)],
      };
      await writeWork(workOf(metadata, object), client, works);
    }
  }

  context.run({
    name: 'unified-auth-controller',
    synced: [clusters, works, roles, bindings, spaces].map(({ synced }) => synced),
    wire: queue => {
      clusters.onChange(({ old, new: cluster }) => {
        if (cluster && (!old || !old.spec.impersonatorSecretRef)) queue.add(keyOf(cluster));
      });
      // Works can be created once the cluster controller has created the execution namespace.
      spaces.onChange(({ key, was, is }) => {
        const name = clusterOfExecutionNamespace(key);
        if (!was && is && name !== undefined && clusters.get(name)) queue.add(name);
      });
      const wake = (role: ClusterRole | undefined): void => wakeClusters(role, clusters.list(), queue);
      roles.onChange(({ old, new: role }) => {
        wake(old);
        wake(role);
      });
      bindings.onChange(({ old, new: binding }) => {
        for (const state of [old, binding])
          if (state?.roleRef.kind === 'ClusterRole') wake(roles.get(state.roleRef.name));
      });
    },
    reconcile: async key => {
      const cluster = clusters.get(key);
      const secret = cluster?.spec.impersonatorSecretRef;
      if (!cluster || !secret || cluster.metadata.deletionTimestamp) return; // The garbage collector deletes its Works by their owner reference.
      if (!spaces.get(executionNamespace(key))) return; // Its creation wakes this controller.
      try {
        await sync(cluster, secret.namespace);
        recorder.event(cluster, 'Normal', 'SyncImpersonationConfigSucceed', 'Sync impersonation config succeed.');
      } catch (error) {
        const text = errorText(error);
        if (!isPassing(error)) recorder.event(cluster, 'Warning', 'SyncImpersonationConfigFailed', text);
        throw error;
      }
    },
  });
}

const covers = (list: readonly string[] | undefined, value: string): boolean =>
  list?.some(item => item === '*' || item === value) ?? false;

const opensClusters = ({ apiGroups, resources: names }: PolicyRule): boolean =>
  covers(apiGroups, 'cluster.karmada.io') && (covers(names, 'clusters/proxy') || covers(names, '*/proxy'));

const opensAll = ({ apiGroups, resources: names }: PolicyRule): boolean =>
  covers(apiGroups, 'search.karmada.io') && (covers(names, 'proxying/proxy') || covers(names, '*/proxy'));

const opens = (rule: PolicyRule, cluster: string): boolean =>
  opensAll(rule) || (opensClusters(rule) && (!rule.resourceNames?.length || rule.resourceNames.includes(cluster)));

function wakeClusters(role: ClusterRole | undefined, clusters: readonly Cluster[], queue: WorkQueue): void {
  if (!role?.rules) return;
  for (const cluster of clusters) if (role.rules.some(rule => opens(rule, keyOf(cluster)))) queue.add(keyOf(cluster));
}

/** Returns rules that allow to impersonate the subjects: one rule for each kind of subject. as pkg/util GenerateImpersonationRules */
function impersonationRules(subjects: readonly Subject[]): PolicyRule[] {
  return (
    [
      ['User', 'users'],
      ['ServiceAccount', 'serviceaccounts'],
      ['Group', 'groups'],
    ] as const
  ).flatMap(([kind, resource]) => {
    const names = new Set(subjects.filter(subject => subject.kind === kind).map(({ name }) => name));
    if (names.size === 0) return [];
    return [{ verbs: ['impersonate'], apiGroups: [''], resources: [resource], resourceNames: [...names].sort() }];
  });
}
