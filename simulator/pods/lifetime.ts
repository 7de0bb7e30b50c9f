/** Reads from annotations how long the containers of a Pod run, and how they end. */
import { controllerOf } from '../../apimachinery/meta/owner.js';
import type { Pod } from './state.js';

/** An annotation on a Pod: the seconds that its containers run after each start, such as `5` or `0.5`. */
export const runSecondsAnnotation = 'simulator.flagship.io/run-seconds';

/** An annotation on a Pod: the exit code of its containers; 0 by default. */
export const exitCodeAnnotation = 'simulator.flagship.io/exit-code';

/** Seconds that the containers of a Job's Pod run without the annotation. */
const jobSeconds = 1;

interface Lifetime {
  readonly milliseconds: number;
  readonly exitCode: number;
}

/** Returns the lifetime; undefined when the containers run until the Pod is deleted. Invalid annotations are ignored. */
export function lifetimeOf(pod: Pod): Lifetime | undefined {
  const { [runSecondsAnnotation]: runText = '', [exitCodeAnnotation]: code = '' } = pod.metadata.annotations ?? {};
  const fallback = controllerOf(pod)?.kind === 'Job' ? jobSeconds : undefined;
  const seconds = /^\d+(?:\.\d+)?$/.test(runText) ? Number(runText) : fallback;
  if (seconds === undefined) return undefined;
  const exitCode = /^\d{1,3}$/.test(code) && Number(code) <= 255 ? Number(code) : 0;
  return { milliseconds: seconds * 1000, exitCode };
}

/** Returns whether the containers are started again after they have ended. */
export function restarts({ spec }: Pod, exitCode: number): boolean {
  const policy = spec?.restartPolicy ?? 'Always';
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

/** Returns the milliseconds before containers that have been restarted so many times are started again. as pkg/kubelet MaxContainerBackOff */
export const restartDelay = (restarts: number): number =>
  restarts === 0 ? 0 : Math.min(300_000, 10_000 * 2 ** (restarts - 1));
