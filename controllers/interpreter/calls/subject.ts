import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Operation } from '../interface.js';

/** What a call interprets, in whatever state it is. */
export interface InterpretedSubject {
  /** The operation and the object. */
  readonly object: string;
  /** Tells calls for one object apart that one attempt may make at the same time: those for several clusters. */
  readonly variant: string;
}

interface Interpreted {
  readonly object: KubeObject;
  /** The object in the member, for Retain. */
  readonly observed?: KubeObject | undefined;
  /** The wanted number, for ReviseReplica. */
  readonly replicas?: number | undefined;
}

/** Returns what an operation interprets. An object in a member has another UID than its template. */
export function interpretedSubject(
  operation: Operation,
  { object, observed = object, replicas }: Interpreted,
): InterpretedSubject {
  const { apiVersion, kind, metadata } = observed;
  const { uid = `${apiVersion}/${kind}/${metadata.namespace ?? ''}/${metadata.name ?? ''}` } = metadata;
  return { object: `${operation}/${uid}`, variant: replicas === undefined ? '' : String(replicas) };
}
