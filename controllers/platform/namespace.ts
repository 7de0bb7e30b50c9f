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
import { putConditions } from '../../client/runtime/conditions.js';
import type { ControllerContext, Informer, Key, ReconcileResult, WorkQueue } from '../../client/runtime/interface.js';
import type { Mirrors } from '../../client/runtime/mirrors/mirrors.js';
import { splitKey } from '../../client/key.js';
import { updateObject } from '../../client/runtime/update.js';
import { events, namespaces } from '../../api/kubernetes/resources.js';
import { namespaceConditions, type Problems } from './namespace-conditions.js';
import { hasUndeleted, listedIn, remainingOf, type RemainingObjects } from './namespace-content.js';

const retryMs = 5_000;
const maxRetryMs = 30_000;
/**
 * What a namespace still has is read again after this multiple of the time that it took to read, within the limits above, since it may be ten thousands
 * of objects.
 */
const idleShare = 10;

/** Returns whether a server does not have what was asked for: the object, the kind, or the verb. */
const isUnsupported = (error: unknown): boolean =>
  error instanceof StatusError && (error.code === 404 || error.code === 405);

async function ignoreUnsupported<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isUnsupported(error)) return undefined;
    throw error;
  }
}

interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] };
  status?: { phase?: string; conditions?: Condition[] };
}

interface Remaining {
  readonly objects: readonly RemainingObjects[];
  /** The errors of resources that could not be listed. */
  readonly failures: readonly string[];
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
    // With the last object of a kind, the next step may begin. Earlier ones change nothing, and each reconciliation reads all that is left.
    this.#mirrors.onLaterChange(({ key, newCached }, { informer }) => {
      if (newCached) return;
      const { namespace } = splitKey(key);
      if (!namespace || !this.namespaces.get(namespace)?.metadata.deletionTimestamp) return;
      if (informer.keysIn(namespace).size === 0) queue.add(namespace);
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
    const began = this.#clock.now();
    const left = await this.#remaining(resourcesOf(known), known, name);
    const readMs = this.#clock.now() - began;
    failures.push(...left.failures);
    await this.#report(namespace, { rest: left.objects, failures, unreadable });
    if (failures.length > 0) throw new ExpectedError(failures.join(', '));
    // What cannot be listed may still have objects in the namespace.
    if (left.objects.length > 0 || unreadable.length > 0)
      return { againAfter: Math.min(Math.max(retryMs, readMs * idleShare), maxRetryMs) };
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
        if (informer?.hasSynced && !(await hasUndeleted(informer, namespace))) continue;
        try {
          await this.#deleteAll(resource, namespace);
        } catch (error) {
          failures.push(errorText(error));
        }
      }
      if (i === steps.length - 1) break;
      const left = await this.#remaining(step, known, namespace);
      if (left.objects.length > 0 || left.failures.length > 0) break;
    }
    return failures;
  }

  /**
   * Deletes the objects one by one where a server, such as another one behind this one, cannot delete collections: it answers 404 or 405. as
   * pkg/controller/namespace/deletion deleteCollection, deleteEachItem
   */
  async #deleteAll(resource: GroupVersionResource, namespace: string): Promise<void> {
    const options = { propagationPolicy: 'Background' } as const;
    try {
      await this.#client.deleteCollection(resource, { namespace }, options);
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      await ignoreUnsupported(this.#deleteEach(resource, namespace));
    }
  }

  async #deleteEach(resource: GroupVersionResource, namespace: string): Promise<void> {
    const options = { propagationPolicy: 'Background' } as const;
    for await (const page of listedIn(this.#client, resource, namespace))
      for (const { metadata } of page)
        await ignoreUnsupported(this.#client.delete(resource, { namespace, name: metadata.name ?? '' }, options));
  }

  async #remaining(
    resources: readonly GroupVersionResource[],
    known: ReadonlyMap<GroupVersionResource, Informer>,
    namespace: string,
  ): Promise<Remaining> {
    const objects: RemainingObjects[] = [];
    const failures: string[] = [];
    for (const resource of resources)
      try {
        const left = await remainingOf(this.#client, resource, known.get(resource), namespace);
        if (left) objects.push(left);
      } catch (error) {
        failures.push(errorText(error));
      }
    return { objects, failures };
  }

  async #report(namespace: Namespace, problems: Problems): Promise<void> {
    if (Object.values(problems).every(({ length }) => length === 0)) return; // The namespace is finalized next.
    const wanted = namespaceConditions(problems);
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
