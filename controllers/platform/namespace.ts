import { ExpectedError } from '../../lib/logging/cause.js';
import type { Clock } from '../../lib/clock.js';
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { clusterOfExecutionNamespace } from '../../api/karmada/names.js';
import { apiVersionOf } from '../../apimachinery/meta/gvk.js';
import { ignoreNotFound } from '../../client/find.js';
import type { Client } from '../../client/interface.js';
import type { Condition } from '../../api/karmada/types.js';
import { type NewCondition, putConditions } from '../../client/runtime/conditions.js';
import type { ControllerContext, Informer, Key, ReconcileResult, WorkQueue } from '../../client/runtime/interface.js';
import type { Mirrors } from '../../client/runtime/mirrors.js';
import { splitKey } from '../../client/key.js';
import { updateObject } from '../../client/runtime/update.js';
import { events, namespaces } from '../../api/kubernetes/resources.js';

const retryMs = 5_000;

interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] };
  status?: { phase?: string; conditions?: Condition[] };
}

/** Remaining objects of one resource. */
interface RemainingObjects {
  readonly resource: GroupVersionResource;
  readonly objects: readonly KubeObject[];
}

interface Remaining {
  readonly objects: readonly RemainingObjects[];
  /** The errors of resources that could not be listed. */
  readonly failures: readonly string[];
}

/** What keeps a namespace. */
interface Problems {
  readonly rest: readonly RemainingObjects[];
  readonly failures: readonly string[];
  /** The group versions whose discovery cannot be read. */
  readonly unreadable: readonly string[];
}

const isRight = ({ group }: GroupVersionResource): boolean => group === 'rbac.authorization.k8s.io';
const isPods = ({ group, resource }: GroupVersionResource): boolean => group === '' && resource === 'pods';

/** Empties and finalizes terminating namespaces. */
class NamespaceController {
  readonly namespaces: Informer<Namespace>;
  readonly #mirrors: Mirrors;
  readonly #client: Client;
  readonly #clock: Clock;

  constructor({ client, clock, informers }: ControllerContext, mirrors: Mirrors) {
    this.#client = client;
    this.#clock = clock;
    this.#mirrors = mirrors;
    this.namespaces = informers.informer<Namespace>(namespaces);
  }

  wire(queue: WorkQueue): void {
    this.namespaces.onChange(({ new: namespace }) => {
      if (namespace?.metadata.deletionTimestamp) queue.add(namespace.metadata.name ?? '');
    });
    // The deleted object may have been the last one of a terminating namespace.
    this.#mirrors.onChange(({ key, newCached }) => {
      const { namespace } = splitKey(key);
      if (!newCached && namespace && this.namespaces.get(namespace)?.metadata.deletionTimestamp) queue.add(namespace);
    });
  }

  async reconcile(name: Key): Promise<ReconcileResult> {
    const namespace = this.namespaces.get(name);
    if (!namespace?.metadata.deletionTimestamp || !namespace.spec?.finalizers?.includes('kubernetes')) return undefined;
    const unreadable = this.#client.mapper.failed?.() ?? [];
    const namespaced = [...this.#mirrors.all()].filter(
      ({ resource }) => resource.namespaced && !unreadable.includes(apiVersionOf(resource)),
    );
    const known = new Map(namespaced.map(({ resource, informer }) => [resource as GroupVersionResource, informer]));
    const failures = await this.#deleteContent(name, known);
    const left = await this.#remaining(resourcesOf(known), name);
    failures.push(...left.failures);
    await this.#report(namespace, { rest: left.objects, failures, unreadable });
    if (failures.length > 0) throw new ExpectedError(failures.join(', '));
    // What cannot be listed may still have objects in the namespace.
    if (left.objects.length > 0 || unreadable.length > 0) return { againAfter: retryMs };
    await this.#finalize(namespace);
    return undefined;
  }

  /**
   * Deletes pods, and everything else once they are gone, so that they do not outlive what they use (KEP-5080). In the execution namespace of a cluster,
   * rights follow when the Works are gone: without them, the agent of the cluster could not take back its objects. Returns the errors.
   */
  async #deleteContent(namespace: string, known: ReadonlyMap<GroupVersionResource, Informer>): Promise<string[]> {
    const failures: string[] = [];
    const steps = stepsOf(namespace, resourcesOf(known));
    for (const [i, step] of steps.entries()) {
      for (const resource of step) {
        const informer = known.get(resource);
        if (informer?.hasSynced && informer.keysIn(namespace).size === 0) continue;
        try {
          await this.#client.deleteCollection(resource, { namespace }, { propagationPolicy: 'Background' });
        } catch (error) {
          if (error instanceof StatusError && error.code === 404) continue;
          failures.push(errorText(error));
        }
      }
      if (i === steps.length - 1) break;
      const left = await this.#remaining(step, namespace);
      if (left.objects.length > 0 || left.failures.length > 0) break;
    }
    return failures;
  }

  /** Lists from the server and not from mirrors, which may be behind: a namespace must not be finalized before it is empty. */
  async #remaining(resources: readonly GroupVersionResource[], namespace: string): Promise<Remaining> {
    const objects: RemainingObjects[] = [];
    const failures: string[] = [];
    for (const resource of resources)
      try {
        const { items = [] } = (await ignoreNotFound(this.#client.list(resource, { namespace }))) ?? {};
        if (items.length > 0) objects.push({ resource, objects: items });
      } catch (error) {
        failures.push(errorText(error));
      }
    return { objects, failures };
  }

  async #report(namespace: Namespace, problems: Problems): Promise<void> {
    if (Object.values(problems).every(({ length }) => length === 0)) return; // The namespace is finalized next.
    const wanted = conditionsOf(problems);
    await ignoreNotFound(putConditions(this.#client, namespaces, namespace, wanted, this.#clock.now()));
  }

  async #finalize(namespace: Namespace): Promise<void> {
    const change = (draft: Namespace): void => {
      draft.spec = { ...draft.spec, finalizers: (draft.spec?.finalizers ?? []).filter(f => f !== 'kubernetes') };
    };
    await ignoreNotFound(updateObject(this.#client, namespaces, namespace, change, { subresource: 'finalize' }));
  }
}

/** Returns the resources in the order in which their objects are deleted: those of a step when those of the former one are gone. */
// differs: Kubernetes deletes the rights of agents at once, and the Works of a cluster in pull mode stay until its agent counts as silent.
function stepsOf(namespace: string, resources: readonly GroupVersionResource[]): GroupVersionResource[][] {
  const isLast = (resource: GroupVersionResource): boolean =>
    clusterOfExecutionNamespace(namespace) !== undefined && isRight(resource);
  const others = resources.filter(resource => !isPods(resource));
  const last = others.filter(isLast);
  return [resources.filter(isPods), others.filter(resource => !isLast(resource)), ...(last.length > 0 ? [last] : [])];
}

/** Returns the namespaced resources. Events have no mirror. */
const resourcesOf = (known: ReadonlyMap<GroupVersionResource, Informer>): GroupVersionResource[] => [
  ...known.keys(),
  events,
];

/** Deletes the content of terminating namespaces, pods first, and then finalizes them. as pkg/controller/namespace/deletion */
export function startNamespaceController(context: ControllerContext, mirrors: Mirrors): void {
  const controller = new NamespaceController(context, mirrors);
  context.run({
    name: 'namespace-controller',
    synced: [controller.namespaces.synced],
    wire: queue => controller.wire(queue),
    reconcile: name => controller.reconcile(name),
  });
}

/** as client-go/discovery ErrGroupDiscoveryFailed */
function discoveryFailure(groupVersions: readonly string[]): string {
  const each = groupVersions.map(name => `${name}: stale GroupVersion discovery: ${name}`).join(', ');
  return `Discovery failed for some groups, ${groupVersions.length} failing: unable to retrieve the complete list of server APIs: ${each}`;
}

/** Returns the conditions of the namespace; one that is True is a problem. */
function conditionsOf({ rest, failures, unreadable }: Problems): NewCondition[] {
  const counts = rest.map(
    ({ resource: { group, resource }, objects }) => `${resource}.${group} has ${objects.length} resource instances`,
  );
  const finalizers = new Map<string, number>();
  for (const finalizer of rest.flatMap(({ objects }) => objects.flatMap(({ metadata }) => metadata.finalizers ?? [])))
    finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
  const finalizerCounts = [...finalizers].sort().map(([finalizer, n]) => `${finalizer} in ${n} resource instances`);
  const condition = (
    type: string,
    problem: boolean,
    [bad, good]: [string, string],
    [badMessage, goodMessage]: [string, string],
  ): NewCondition => ({
    type,
    status: problem ? 'True' : 'False',
    reason: problem ? bad : good,
    message: problem ? badMessage : goodMessage,
  });
  return [
    condition(
      'NamespaceDeletionDiscoveryFailure',
      unreadable.length > 0,
      ['DiscoveryFailed', 'ResourcesDiscovered'],
      [discoveryFailure(unreadable), 'All resources successfully discovered'],
    ),
    condition(
      'NamespaceDeletionGroupVersionParsingFailure',
      false,
      ['', 'ParsedGroupVersions'],
      ['', 'All legacy kube types successfully parsed'],
    ),
    condition(
      'NamespaceDeletionContentFailure',
      failures.length > 0,
      ['ContentDeletionFailed', 'ContentDeleted'],
      [failures.join(', '), 'All content successfully deleted, may be waiting on finalization'],
    ),
    condition(
      'NamespaceContentRemaining',
      counts.length > 0,
      ['SomeResourcesRemain', 'ContentRemoved'],
      [`Some resources are remaining: ${counts.join(', ')}`, 'All content successfully removed'],
    ),
    condition(
      'NamespaceFinalizersRemaining',
      finalizerCounts.length > 0,
      ['SomeFinalizersRemain', 'ContentHasNoFinalizers'],
      [
        `Some content in the namespace has finalizers remaining: ${finalizerCounts.join(', ')}`,
        'All content-preserving finalizers finished',
      ],
    ),
  ];
}
