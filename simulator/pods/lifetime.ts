/** How long the containers of a Pod run, and how they end. */
import { controllerOf } from '../../apimachinery/meta/owner.js';
import type { Pod } from './state.js';

/** On a Pod: seconds that its containers run each time they are started, as `5` or `0.5`. */
export const runSecondsAnnotation = 'simulator.flagship.io/run-seconds';

/** On a Pod: the code with which its containers end; 0 without it. */
export const exitCodeAnnotation = 'simulator.flagship.io/exit-code';

/** Seconds that the containers of a Job run without the annotation. */
const jobSeconds = 1;

export interface Lifetime {
  readonly milliseconds: number;
  readonly exitCode: number;
}

/** Undefined: the containers run until the Pod is deleted. Annotations that cannot be read count as if they were not there. */
export function lifetimeOf(pod: Pod): Lifetime | undefined {
  const { [runSecondsAnnotation]: told = '', [exitCodeAnnotation]: code = '' } = pod.metadata.annotations ?? {};
  const usual = controllerOf(pod)?.kind === 'Job' ? jobSeconds : undefined;
  const seconds = /^\d+(?:\.\d+)?$/.test(told) ? Number(told) : usual;
  if (seconds === undefined) return undefined;
  const exitCode = /^\d{1,3}$/.test(code) && Number(code) <= 255 ? Number(code) : 0;
  return { milliseconds: seconds * 1000, exitCode };
}

/** Whether the containers are started again when they have ended. */
export function restarts({ spec }: Pod, exitCode: number): boolean {
  const policy = spec?.restartPolicy ?? 'Always';
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

/** Milliseconds before containers that have been restarted so many times are started again. as pkg/kubelet MaxContainerBackOff */
export const restartDelay = (restarts: number): number =>
  restarts === 0 ? 0 : Math.min(300_000, 10_000 * 2 ** (restarts - 1));
