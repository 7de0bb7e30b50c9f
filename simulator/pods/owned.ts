import type { KubeObject, OwnerReference } from '../../apimachinery/interface.js';
import { controllerOf, controllerReference, isControlledBy } from '../../apimachinery/meta/owner.js';
import type { Client } from '../../client/interface.js';
import { createExpectations, type Expectations } from '../../client/runtime/expectations.js';
import { keyOf, objectKey } from '../../client/key.js';
import type { ControllerContext, Informer, WorkQueue } from '../../client/runtime/interface.js';
import { isLostRace } from '../../client/runtime/failures.js';
import { updateObject } from '../../client/runtime/update.js';
import { pods } from '../../api/kubernetes/resources.js';
import { ownerKey } from './owner-key.js';
import type { Placement } from './placement.js';
import { isTerminating, type Pod } from './state.js';

/** The Pods of the workloads of one kind. */
export interface OwnedPods {
  readonly mirror: Informer<Pod>;
  /** Returns the Pods that the object controls, in any state. */
  of(owner: KubeObject): readonly Pod[];
  /** Returns false while the mirror lags behind changes made for the owner, when its Pods must not be counted. */
  settled(owner: KubeObject): boolean;
  /** Returns the created Pod. */
  create(owner: KubeObject, pod: Pod): Promise<Pod>;
  remove(owner: KubeObject, pod: Pod): Promise<void>;
  /** Returns the Pods of a namespace without a controller. */
  orphans(namespace: string): readonly Pod[];
  /** Makes the owner the controller of a Pod without one. */
  adopt(owner: KubeObject, pod: Pod): Promise<void>;
  release(owner: KubeObject, pod: Pod): Promise<void>;
  /** Queues the owner of every Pod that changes, and the owner that a Pod loses. */
  wakeOwners(queue: WorkQueue): void;
  /** Calls the listener with every new or changed Pod without a controller. */
  onOrphan(listener: (pod: Pod) => void): void;
}

type PlacePod = Placement['createPlaced'];

const byController = 'controller';

/** Returns the index value of Pods without a controller, which is no valid uid. */
const withoutController = (namespace: string | undefined): string => `nobody/${namespace ?? ''}`;

class MirroredPods implements OwnedPods {
  readonly mirror: Informer<Pod>;
  readonly #client: Client;
  readonly #kind: string;
  readonly #expectations: Expectations;

  readonly #place: PlacePod;

  constructor({ client, informers, clock }: ControllerContext, kind: string, place: PlacePod) {
    this.#client = client;
    this.#kind = kind;
    this.#place = place;
    this.mirror = informers.informer<Pod>(pods, {
      indexers: { [byController]: pod => [controllerOf(pod)?.uid ?? withoutController(pod.metadata.namespace)] },
    });
    this.#expectations = createExpectations(this.mirror, clock);
  }

  of({ metadata: { uid } }: KubeObject): readonly Pod[] {
    return this.mirror.byIndex(byController, uid ?? '').filter(pod => isControlledBy(pod, uid));
  }

  settled(owner: KubeObject): boolean {
    return this.#expectations.fulfilled(keyOf(owner));
  }

  async create(owner: KubeObject, pod: Pod): Promise<Pod> {
    const made = await this.#place(pod, placed => this.#client.create(pods, placed));
    this.#expectations.created(keyOf(owner), keyOf(made));
    return made;
  }

  async remove(owner: KubeObject, pod: Pod): Promise<void> {
    const { uid = '' } = pod.metadata;
    try {
      await this.#client.delete(pods, objectKey(pod), { preconditions: { uid } });
    } catch (error) {
      if (!isLostRace(error)) throw error;
    }
    this.#expectations.deleted(keyOf(owner), keyOf(pod));
  }

  orphans(namespace: string): readonly Pod[] {
    return this.mirror.byIndex(byController, withoutController(namespace));
  }

  adopt(owner: KubeObject, pod: Pod): Promise<void> {
    return this.#changeOwners(pod, references => [...references, controllerReference(owner)]);
  }

  release(owner: KubeObject, pod: Pod): Promise<void> {
    return this.#changeOwners(pod, references => references.filter(({ uid }) => uid !== owner.metadata.uid));
  }

  wakeOwners(queue: WorkQueue): void {
    this.mirror.onChange(({ old, new: now }) => {
      const keys = new Set([ownerKey(now, this.#kind), ownerKey(old, this.#kind)]);
      for (const key of keys) if (key) queue.add(key);
    });
  }

  onOrphan(listener: (pod: Pod) => void): void {
    this.mirror.onChange(({ new: now }) => {
      if (now && !controllerOf(now) && !isTerminating(now)) listener(now);
    });
  }

  async #changeOwners(pod: Pod, to: (references: readonly OwnerReference[]) => OwnerReference[]): Promise<void> {
    const { uid } = pod.metadata;
    await updateObject<Pod>(this.#client, pods, pod, ({ metadata }) => {
      if (metadata.uid !== uid) return; // another Pod of that name
      metadata.ownerReferences = to(metadata.ownerReferences ?? []);
    });
  }
}

/** Creates the set of Pods of workloads. `kind` is the owners' kind; `place` may create their Pods on nodes. */
export const ownedPods = (
  context: ControllerContext,
  kind: string,
  place: PlacePod = (pod, create) => create(pod),
): OwnedPods => new MirroredPods(context, kind, place);
