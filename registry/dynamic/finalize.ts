/** Finishes the deletion of a definition: its objects go first. */
import { errorText } from '../../apimachinery/errors/error-text.js';
import { isConflict, isNotFound } from '../../apimachinery/errors/status.js';
import { formatTime } from '../../lib/go/time.js';
import type { Client } from '../../client/interface.js';
import type { ResourceDefinition } from '../interface.js';
import { customResourceDefinitions } from '../../api/kubernetes/resources.js';
import { type Condition, type CustomResourceDefinition, cleanupFinalizer, isTrue, withCondition } from './crd.js';

/** Works on all objects of a definition, whether a version is served or not. */
export interface Remover {
  /** Deletes all objects in all namespaces. */
  removeAll(definition: ResourceDefinition): Promise<void>;
  /** Resolves when there is none left, or the signal aborts. */
  untilEmpty(definition: ResourceDefinition, signal: AbortSignal): Promise<void>;
}

export interface Finalization {
  readonly crd: CustomResourceDefinition;
  readonly client: Client;
  /** As it is served; undefined: it never was. */
  readonly definition: ResourceDefinition | undefined;
  readonly remover: Remover;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** How long objects may take to go before that is said; then it is tried again. */
  readonly patienceMs?: number;
}

type NewCondition = Required<Omit<Condition, 'lastTransitionTime'>>;
const type = 'Terminating';

const inProgress: NewCondition = {
  type,
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};
const completed: NewCondition = {
  type,
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
};
const neverEstablished: NewCondition = {
  type,
  status: 'False',
  reason: 'NeverEstablished',
  message: 'resource was never established',
};
const overlapping: NewCondition = {
  type,
  status: 'False',
  reason: 'OverlappingBuiltInResource',
  message: 'instances overlap with built-in resources in storage',
};

/** Removes the objects and then the finalizer. Rejects when it has to be tried again. */
// as apiextensions-apiserver/pkg/controller/finalizer CRDFinalizer
export async function finalize(of: Finalization): Promise<void> {
  const { definition, remover, signal } = of;
  const crd = await write(of, of.crd, inProgress, false);
  if (!crd) return;
  const established = isTrue(crd, 'Established');
  if (!established || !definition) {
    await write(of, crd, established ? overlapping : neverEstablished, true);
    return;
  }
  try {
    await remover.removeAll(definition);
  } catch (error) {
    const message = `could not issue all deletes: ${errorText(error)}`;
    await write(of, crd, { type, status: 'True', reason: 'InstanceDeletionFailed', message }, false);
    throw error;
  }
  const patience = AbortSignal.timeout(of.patienceMs ?? 60_000);
  await remover.untilEmpty(definition, AbortSignal.any([signal, patience]));
  if (signal.aborted) return;
  if (!patience.aborted) return void (await write(of, crd, completed, true));
  const message = 'could not confirm zero CustomResources remaining: context deadline exceeded';
  await write(of, crd, { type, status: 'True', reason: 'InstanceDeletionCheck', message }, false);
  throw new Error(message);
}

/** The definition with the condition, and without the finalizer when that is over; undefined when it changed meanwhile. */
async function write(
  { client, now }: Finalization,
  crd: CustomResourceDefinition,
  condition: NewCondition,
  over: boolean,
): Promise<CustomResourceDefinition | undefined> {
  const status = { ...crd.status, conditions: withCondition(crd.status?.conditions, condition, formatTime(now())) };
  const finalizers = over
    ? crd.metadata.finalizers?.filter(name => name !== cleanupFinalizer)
    : crd.metadata.finalizers;
  const metadata = { ...crd.metadata, ...(finalizers && { finalizers }) };
  try {
    const written = await client.update(
      customResourceDefinitions,
      { ...crd, metadata, status },
      { subresource: 'status' },
    );
    return written as unknown as CustomResourceDefinition;
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return undefined;
    throw error;
  }
}
