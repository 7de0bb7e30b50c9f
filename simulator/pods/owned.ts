import type { KubeObject } from '../../openapi/interface.js';
import { controllerOf, isControlledBy } from '../../openapi/meta/owner.js';
import { StatusError } from '../../openapi/meta/status.js';
import { createExpectations } from '../../controllers/runtime/expectations.js';
import { keyOf } from '../../controllers/runtime/informer.js';
import type { ControllerContext, Informer, Key, WorkQueue } from '../../controllers/runtime/interface.js';
import { objectKey } from '../../controllers/runtime/update.js';
import { pods } from '../resources.js';
import type { Pod } from './state.js';

/** The Pods of the workloads of one kind. */
export interface OwnedPods {
  readonly mirror: Informer<Pod>;
  /** Controlled by the object, in whatever state. */
  of(owner: KubeObject): readonly Pod[];
  /** False while the mirror lags behind what was done for the owner: its Pods must not be counted yet. */
  settled(owner: KubeObject): boolean;
  create(owner: KubeObject, pod: Pod): Promise<void>;
  remove(owner: KubeObject, pod: Pod): Promise<void>;
  /** Wakes the owner of every Pod that changes. */
  wakeOwners(queue: WorkQueue): void;
}

const byController = 'controller';

/** `kind`: of the owners. */
export function ownedPods({ client, informers, clock }: ControllerContext, kind: string): OwnedPods {
  const mirror = informers.informer<Pod>(pods, {
    indexers: { [byController]: pod => [controllerOf(pod)?.uid ?? ''] },
  });
  const expectations = createExpectations(mirror, clock);
  const ownerKey = (pod: Pod): Key | undefined => {
    const owner = controllerOf(pod);
    return owner?.kind === kind ? `${pod.metadata.namespace}/${owner.name}` : undefined;
  };
  return {
    mirror,
    of: owner =>
      mirror.byIndex(byController, owner.metadata.uid ?? '').filter(p => isControlledBy(p, owner.metadata.uid)),
    settled: owner => expectations.fulfilled(keyOf(owner)),
    async create(owner, pod) {
      const made = await client.create(pods, pod);
      expectations.created(keyOf(owner), keyOf(made));
    },
    async remove(owner, pod) {
      const { uid = '' } = pod.metadata;
      try {
        await client.delete(pods, objectKey(pod), { preconditions: { uid } });
      } catch (error) {
        if (!(error instanceof StatusError && (error.code === 404 || error.code === 409))) throw error;
      }
      expectations.deleted(keyOf(owner), keyOf(pod));
    },
    wakeOwners: queue =>
      void mirror.onChange(({ old, new: now }) => {
        const pod = now ?? old;
        const key = pod && ownerKey(pod);
        if (key) queue.add(key);
      }),
  };
}
