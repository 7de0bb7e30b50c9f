/** How many replicas of a workload cannot be scheduled. as pkg/estimator/server/replica */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { type LabelSelector, selectorOf } from '../../../apimachinery/selectors/label-selectors.js';
import type { ObjectReference } from '../../../api/karmada/types.js';
import { ExpectedError } from '../../../lib/logging/cause.js';
import { deepEqual } from '../../../lib/json/equality.js';

interface Template {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: unknown;
}

export interface DeploymentObject extends KubeObject {
  readonly spec?: { readonly selector?: LabelSelector; readonly template?: Template };
}

export interface ReplicaSetObject extends KubeObject {
  readonly spec?: { readonly template?: Template };
}

export interface PodObject extends KubeObject {
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly {
      readonly type?: string;
      readonly status?: string;
      readonly reason?: string;
      readonly lastTransitionTime?: string;
    }[];
  };
}

/** Reads the objects of a member. Everything rejects when the signal aborts. */
export interface WorkloadReader {
  /** Rejects if the Deployment does not exist. */
  deployment(namespace: string, name: string, signal: AbortSignal): Promise<DeploymentObject>;
  /** Returns the ReplicaSets of a controller. */
  replicaSets(controllerUid: string, signal: AbortSignal): Promise<readonly ReplicaSetObject[]>;
  /** Returns the pods of a controller. */
  pods(controllerUid: string, signal: AbortSignal): Promise<readonly PodObject[]>;
}

type WorkloadReference = Pick<ObjectReference, 'apiVersion' | 'kind' | 'namespace' | 'name'>;

const templateHash = 'pod-template-hash';

/** Returns a template without the label that a ReplicaSet adds to it. */
function comparable({ metadata = {}, spec }: Template = {}): unknown {
  const labels = Object.entries(metadata.labels ?? {}).filter(([name]) => name !== templateHash);
  return { metadata: { ...metadata, creationTimestamp: undefined, labels: Object.fromEntries(labels) }, spec };
}

const createdAt = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? '';

/** Returns the oldest ReplicaSet that has the template of the Deployment. */
function newestRevision(
  deployment: DeploymentObject,
  replicaSets: readonly ReplicaSetObject[],
): ReplicaSetObject | undefined {
  const wanted = comparable(deployment.spec?.template);
  return replicaSets
    .toSorted((a, b) =>
      createdAt(a) === createdAt(b)
        ? (a.metadata.name ?? '') < (b.metadata.name ?? '')
          ? -1
          : 1
        : createdAt(a) < createdAt(b)
          ? -1
          : 1,
    )
    .find(({ spec }) => deepEqual(comparable(spec?.template), wanted));
}

const isUnschedulable = ({ status }: PodObject, before: number): boolean => {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return false;
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  return (
    scheduled?.status === 'False' &&
    scheduled.reason === 'Unschedulable' &&
    Date.parse(scheduled.lastTransitionTime ?? '') < before
  );
};

/**
 * Returns the number of pods of the newest ReplicaSet that could not be scheduled for longer than the threshold in milliseconds. Rejects if the
 * workload is no Deployment, or does not exist, and when the signal aborts.
 */
export async function unschedulableReplicas(
  reader: WorkloadReader,
  { kind, namespace = '', name }: WorkloadReference,
  { thresholdMs, now, signal }: { readonly thresholdMs: number; readonly now: number; readonly signal: AbortSignal },
): Promise<number> {
  if (kind !== 'Deployment')
    throw new ExpectedError(`kind(${kind}) of workload(${namespace}/${name}) is not supported`);
  const deployment = await reader.deployment(namespace, name, signal);
  const selector = selectorOf(deployment.spec?.selector);
  const isSelected = ({ metadata }: KubeObject): boolean => selector.matches(metadata.labels);
  const replicaSets = await reader.replicaSets(deployment.metadata.uid ?? '', signal);
  const replicaSet = newestRevision(deployment, replicaSets.filter(isSelected));
  if (!replicaSet) return 0;
  const pods = await reader.pods(replicaSet.metadata.uid ?? '', signal);
  const before = now - Math.max(0, thresholdMs);
  return pods.filter(pod => isSelected(pod) && isUnschedulable(pod, before)).length;
}
