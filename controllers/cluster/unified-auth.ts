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
import type { Client } from '../../client/interface.js';
import type { Cluster, Work } from '../../api/karmada/types.js';
import { finalizers, labels, resources } from '../../api/karmada/well-known.js';
import { namespaces } from '../../api/kubernetes/resources.js';
import { isPassing } from '../../client/runtime/failures.js';
import { keyOf } from '../../client/key.js';
import type { ControllerContext, EventRecorder, Informer, Key, WorkQueue } from '../../client/runtime/interface.js';
import { workOf } from '../work/work-of.js';
import { writeWork } from '../work/write-work.js';

const name = 'unified-auth-controller';

const rbac = (resource: string): GroupVersionResource => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource,
});
const clusterRoles = rbac('clusterroles');
const clusterRoleBindings = rbac('clusterrolebindings');

const impersonator = 'karmada-impersonator';

/** Writes the Works with the rights of the cluster proxy in each member. */
class UnifiedAuth {
  readonly #clusters: Informer<Cluster>;
  readonly #works: Informer<Work>;
  readonly #namespaces: Informer;
  readonly #roles: Informer<ClusterRole>;
  readonly #bindings: Informer<ClusterRoleBinding>;
  readonly #client: Client;
  readonly #recorder: EventRecorder;

  constructor({ client, informers, recorder }: ControllerContext) {
    this.#client = client;
    this.#recorder = recorder(name);
    this.#clusters = informers.informer<Cluster>(resources.clusters);
    this.#works = informers.informer<Work>(resources.works);
    this.#namespaces = informers.informer(namespaces);
    this.#roles = informers.informer<ClusterRole>(clusterRoles);
    this.#bindings = informers.informer<ClusterRoleBinding>(clusterRoleBindings, {
      indexers: { role: ({ roleRef }) => (roleRef.kind === 'ClusterRole' ? [roleRef.name] : []) },
    });
  }

  get synced(): readonly Promise<void>[] {
    return [this.#clusters, this.#works, this.#roles, this.#bindings, this.#namespaces].map(({ synced }) => synced);
  }

  wire(queue: WorkQueue): void {
    const wake = (role: ClusterRole | undefined): void => wakeClusters(role, this.#clusters.list(), queue);
    this.#clusters.onChange(({ old, new: cluster }) => {
      if (cluster && (!old || !old.spec.impersonatorSecretRef)) queue.add(keyOf(cluster));
    });
    // Works can be created once the cluster controller has created the execution namespace.
    this.#namespaces.onChange(({ key, oldCached, newCached }) => {
      const cluster = clusterOfExecutionNamespace(key);
      if (!oldCached && newCached && cluster !== undefined && this.#clusters.get(cluster)) queue.add(cluster);
    });
    this.#roles.onChange(({ old, new: role }) => {
      wake(old);
      wake(role);
    });
    this.#bindings.onChange(({ old, new: binding }) => {
      for (const state of [old, binding])
        if (state?.roleRef.kind === 'ClusterRole') wake(this.#roles.get(state.roleRef.name));
    });
  }

  async reconcile(key: Key): Promise<void> {
    const cluster = this.#clusters.get(key);
    const secret = cluster?.spec.impersonatorSecretRef;
    if (!cluster || !secret || cluster.metadata.deletionTimestamp) return; // The garbage collector deletes its Works by their owner reference.
    if (!this.#namespaces.get(executionNamespace(key))) return; // Its creation wakes this controller.
    try {
      await this.#sync(cluster, secret.namespace);
      this.#recorder.event(cluster, 'Normal', 'SyncImpersonationConfigSucceed', 'Sync impersonation config succeed.');
    } catch (error) {
      const text = errorText(error);
      if (!isPassing(error)) this.#recorder.event(cluster, 'Warning', 'SyncImpersonationConfigFailed', text);
      throw error;
    }
  }

  async #sync(cluster: Cluster, secretNamespace: string): Promise<void> {
    const target = cluster.metadata.name ?? '';
    for (const object of impersonationObjects(this.#subjectsOf(target), secretNamespace)) {
      const metadata = {
        name: workName(object.kind, impersonator, ''),
        namespace: executionNamespace(target),
        finalizers: [finalizers.execution],
        ownerReferences: [controllerReference(cluster)],
      };
      await writeWork(workOf(metadata, object), this.#client, this.#works);
    }
  }

  /** Returns the subjects that may reach the cluster through any role. */
  #subjectsOf(cluster: string): Subject[] {
    return this.#roles
      .list()
      .filter(role => role.rules?.some(rule => opens(rule, cluster)))
      .flatMap(role => this.#bindings.byIndex('role', role.metadata.name ?? ''))
      .flatMap(({ subjects }) => subjects ?? []);
  }
}

/**
 * Lets users of the cluster proxy keep their identity in the member: the proxy's ServiceAccount there may impersonate exactly the
 * subjects that the control plane binds to a ClusterRole with `clusters/proxy` or `proxying/proxy`.
 * as pkg/controllers/unifiedauth Controller
 */
export function startUnifiedAuth(context: ControllerContext): void {
  const auth = new UnifiedAuth(context);
  context.run({
    name,
    synced: auth.synced,
    wire: queue => auth.wire(queue),
    reconcile: key => auth.reconcile(key),
  });
}

/** Returns the role that may impersonate the subjects, and its binding to the proxy's ServiceAccount. */
function impersonationObjects(subjects: readonly Subject[], secretNamespace: string): KubeObject[] {
  const metadata = (): ObjectMeta => ({ name: impersonator, labels: { [labels.system]: 'true' } });
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const account = {
    kind: 'ServiceAccount',
    name: memberServiceAccountName('impersonator'),
    namespace: secretNamespace,
  };
  return [
    { apiVersion, kind: 'ClusterRole', metadata: metadata(), rules: impersonationRules(subjects) },
    {
      ...{ apiVersion, kind: 'ClusterRoleBinding', metadata: metadata(), subjects: [account] },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: impersonator },
    },
  ];
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
