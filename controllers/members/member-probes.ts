import { StatusError } from '../../apimachinery/errors/status.js';
import type { Cluster } from '../../api/karmada/types.js';
import { GroupFailure } from '../../client/runtime/controller.js';
import { retryAfterMs } from '../../client/runtime/retry-after.js';
import { systemClock } from '../../lib/clock.js';
import { isUnreachable } from '../../lib/logging/cause.js';
import type { ConnectMember, MemberContext } from './member-watch.js';

/** Codes with which a member refuses everything: refused credentials, overload, and a server that is not there. */
const codesOfMember: ReadonlySet<number> = new Set([401, 429, 503]);

/** Settles as the request. Calls `onAnswer` before if the answer shows that the member works: any but those with which it refuses everything. */
export async function noticingAnswer<T>(request: Promise<T>, onAnswer: () => void): Promise<T> {
  try {
    const result = await request;
    onAnswer();
    return result;
  } catch (error) {
    if (error instanceof StatusError && !codesOfMember.has(error.code)) onAnswer();
    throw error;
  }
}

/** Milliseconds until an answer. */
const probeTimeoutMs = 10_000;
/** Milliseconds for which the result of a probe holds. */
const validMs = 1_000;
/**
 * Connections that were open before may be broken, although the member accepts others: a server or a proxy closes several idle ones together.
 * Between two attempts there is time to notice that.
 */
const maxAttempts = 3;
const pauseMs = 100;
/** Maximum size of an answer in bytes. */
const maxProbeBytes = 64 * 1024;

/** `down`: the member refuses the probe or does not answer. `unknown`: the probe was broken off. */
type State = 'answers' | 'down' | 'unknown';

interface Probe {
  readonly state: Promise<State>;
  /** When the probe has ended, by `performance.now()`; undefined while it runs. */
  endedAt: number | undefined;
}

/**
 * Distinguishes failures of whole members from those of single objects. A webhook, policy or aggregated API of a member may answer 401, 429 or 503
 * for one object, or let its request time out. So a request that does not depend on objects decides.
 */
export class MemberProbes {
  readonly #connect: ConnectMember;
  readonly #onAnswer: (cluster: string) => void;
  readonly #probes = new WeakMap<MemberContext, Probe>();

  /** `onAnswer` is called with the name of a member that answers a probe: what it has refused concerns single objects. */
  constructor(connect: ConnectMember, onAnswer: (cluster: string) => void) {
    this.#connect = connect;
    this.#onAnswer = onAnswer;
  }

  /** Resolves with true if the failure of a request is one of the whole member. Never rejects. */
  async isDown(cluster: Cluster, error: unknown): Promise<boolean> {
    if (!isUnreachable(error) && !(error instanceof StatusError && codesOfMember.has(error.code))) return false;
    let member: MemberContext;
    try {
      member = await this.#connect(cluster);
    } catch {
      return false; // The control plane or the settings of the cluster are at fault. The next request reports it.
    }
    const state = await this.#probe(member);
    if (state === 'answers') this.#onAnswer(cluster.metadata.name ?? '');
    return state === 'down';
  }

  #probe(member: MemberContext): Promise<State> {
    const last = this.#probes.get(member);
    if (last && (last.endedAt === undefined || performance.now() - last.endedAt < validMs)) return last.state;
    const probe: Probe = { state: stateOf(member), endedAt: undefined };
    this.#probes.set(member, probe);
    void probe.state.then(() => (probe.endedAt = performance.now()));
    return probe.state;
  }
}

async function stateOf({ client, signal }: MemberContext): Promise<State> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(probeTimeoutMs)]);
  for (let attempt = 0; attempt < maxAttempts; attempt++)
    try {
      // Overload and refused credentials concern this path as well, which is not exempt from priority and fairness, as `/readyz` is.
      const { status } = await client.raw({ method: 'GET', path: '/version', signal: limit, maxBytes: maxProbeBytes });
      return codesOfMember.has(status) ? 'down' : 'answers';
    } catch (error) {
      if (!isUnreachable(error)) return 'unknown';
      if (limit.aborted) return 'down';
      await systemClock.sleep(pauseMs, limit);
    }
  return 'down';
}

/** Returns the error that pauses all Works of a member that is down. */
export const memberFailure = (failures: readonly unknown[], message: string): GroupFailure =>
  new GroupFailure(message, {
    // The cluster status controller reports an outage.
    isReportedElsewhere: failures.every(error => isUnreachable(error)),
    retryAfterMs: Math.max(...failures.map(retryAfterMs)),
  });
