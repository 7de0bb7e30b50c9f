/** Finishes the deletion of a definition, after that of its objects. */
import { errorText } from '../../apimachinery/errors/error-text.js';
import { isConflict, isNotFound } from '../../apimachinery/errors/status.js';
import { formatTime } from '../../lib/go/time.js';
import type { Client } from '../../client/interface.js';
import type { ResourceDefinition } from '../interface.js';
import { customResourceDefinitions } from '../../api/kubernetes/resources.js';
import {
  type CrdCondition,
  type CustomResourceDefinition,
  cleanupFinalizer,
  crdHasCondition,
  withCrdCondition,
} from './crd.js';

/** Removes all objects of a definition, even if no version is served. */
export interface Remover {
  /** Deletes all objects in all namespaces. */
  removeAll(definition: ResourceDefinition): Promise<void>;
  /** Resolves when no object is left, or the signal aborts. */
  untilEmpty(definition: ResourceDefinition, signal: AbortSignal): Promise<void>;
}

interface Finalization {
  readonly crd: CustomResourceDefinition;
  readonly client: Client;
  /** The served definition; undefined if it never was served. */
  readonly definition: ResourceDefinition | undefined;
  readonly remover: Remover;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Time in milliseconds after which remaining objects are reported, and the deletion is retried. The default is a minute. */
  readonly timeoutMs?: number;
}

type NewCondition = Required<Omit<CrdCondition, 'lastTransitionTime'>>;
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

/** Removes the objects and then the finalizer. Rejects if it has to be retried. */
// as apiextensions-apiserver/pkg/controller/finalizer CRDFinalizer
export async function finalize(options: Finalization): Promise<void> {
  const { definition, remover, signal } = options;
  const crd = await write(options, options.crd, inProgress, false);
  if (!crd) return;
  const established = crdHasCondition(crd, 'Established');
  if (!established || !definition) {
    await write(options, crd, established ? overlapping : neverEstablished, true);
    return;
  }
  try {
    await remover.removeAll(definition);
  } catch (error) {
    const message = `could not issue all deletes: ${errorText(error)}`;
    await write(options, crd, { type, status: 'True', reason: 'InstanceDeletionFailed', message }, false);
    throw error;
  }
  const timeout = AbortSignal.timeout(options.timeoutMs ?? 60_000);
  await remover.untilEmpty(definition, AbortSignal.any([signal, timeout]));
  if (signal.aborted) return;
  if (!timeout.aborted) return void (await write(options, crd, completed, true));
  const message = 'could not confirm zero CustomResources remaining: context deadline exceeded';
  await write(options, crd, { type, status: 'True', reason: 'InstanceDeletionCheck', message }, false);
  throw new Error(message);
}

/** Writes the condition, and removes the finalizer if `isDone`. Returns the written definition; undefined if it has changed meanwhile. */
async function write(
  { client, now }: Finalization,
  crd: CustomResourceDefinition,
  condition: NewCondition,
  isDone: boolean,
): Promise<CustomResourceDefinition | undefined> {
  const status = { ...crd.status, conditions: withCrdCondition(crd.status?.conditions, condition, formatTime(now())) };
  const finalizers = isDone
    ? crd.metadata.finalizers?.filter(name => name !== cleanupFinalizer)
    : crd.metadata.finalizers;
  const metadata = { ...crd.metadata, ...(finalizers && { finalizers }) };
  try {
    const written = await client.update(
      customResourceDefinitions,
      { ...crd, metadata, status },
      { subresource: 'status' },
    );
    return written as CustomResourceDefinition;
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return undefined;
    throw error;
  }
}
