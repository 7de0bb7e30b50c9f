import type { PodSpec } from '../../../api/kubernetes/core.js';

export interface Violation {
  /** `privileged` */
  readonly reason: string;
  /** `container "c" must not set securityContext.privileged=true` */
  readonly detail: string;
}

/** Of an object's metadata. */
export interface Annotated {
  readonly annotations?: Readonly<Record<string, string>>;
}

/** One demand of the standards on a pod; undefined when it is met. */
export type Check = (spec: PodSpec, metadata: Annotated) => Violation | undefined;
