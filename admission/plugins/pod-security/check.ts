import type { PodSpec } from '../../../api/kubernetes/core.js';

export interface Violation {
  /** Short reason, such as `privileged`. */
  readonly reason: string;
  /** Details, such as `container "c" must not set securityContext.privileged=true`. */
  readonly detail: string;
}

/** The part of an object's metadata that checks read. */
export interface Annotated {
  readonly annotations?: Readonly<Record<string, string>>;
}

/** One check of the standards; returns undefined if the pod passes. */
export type Check = (spec: PodSpec, metadata: Annotated) => Violation | undefined;
