import { StatusError } from '../../apimachinery/errors/status.js';
import type { Cluster } from '../../api/karmada/types.js';
import { GroupFailure } from '../../client/runtime/controller.js';
import { retryAfterMs } from '../../client/runtime/retry-after.js';
import { isUnreachable } from '../../lib/logging/cause.js';
import type { ConnectMember, MemberContext } from './member-watch.js';

/** Codes with which a member refuses everything: refused credentials, overload, and a server that is not there. */
const codesOfMember: ReadonlySet<number> = new Set([401, 429, 503]);

/** Milliseconds until an answer. */
const probeTimeoutMs = 10_000;
/** Milliseconds for which the result of a probe holds. */
const validMs = 1_000;
/** A connection that was open before may be broken, although the member accepts others. */
const maxAttempts = 2;
/** Maximum size of an answer in bytes. */
const maxProbeBytes = 64 * 1024;

interface Probe {
  /** Resolves with true if the member refuses the probe or does not answer. */
  readonly isDown: Promise<boolean>;
  /** When the probe has ended, by `performance.now()`; undefined while it runs. */
  endedAt: number | undefined;
}

/**
 * Distinguishes failures of whole members from those of single objects. A webhook, policy or aggregated API of a member may answer 401, 429 or 503
 * for one object, or let its request time out. So a request that does not depend on objects decides.
 */
export class MemberProbes {
  readonly #connect: ConnectMember;
  readonly #probes = new WeakMap<MemberContext, Probe>();

  constructor(connect: ConnectMember) {
    this.#connect = connect;
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
    return this.#probe(member);
  }

  #probe(member: MemberContext): Promise<boolean> {
    const last = this.#probes.get(member);
    if (last && (last.endedAt === undefined || performance.now() - last.endedAt < validMs)) return last.isDown;
    const probe: Probe = { isDown: isDown(member), endedAt: undefined };
    this.#probes.set(member, probe);
    void probe.isDown.then(() => (probe.endedAt = performance.now()));
    return probe.isDown;
  }
}

async function isDown({ client, signal }: MemberContext): Promise<boolean> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(probeTimeoutMs)]);
  for (let attempt = 0; attempt < maxAttempts; attempt++)
    try {
      // Overload and refused credentials concern this path as well, which is not exempt from priority and fairness, as `/readyz` is.
      const { status } = await client.raw({ method: 'GET', path: '/version', signal: limit, maxBytes: maxProbeBytes });
      return codesOfMember.has(status);
    } catch (error) {
      if (!isUnreachable(error)) return false;
      if (limit.aborted) return true;
    }
  return true;
}

/** Returns the error that pauses all Works of a member that is down. */
export const memberFailure = (failures: readonly unknown[], message: string): GroupFailure =>
  new GroupFailure(message, {
    // The cluster status controller reports an outage.
    isReportedElsewhere: failures.every(error => isUnreachable(error)),
    retryAfterMs: Math.max(...failures.map(retryAfterMs)),
  });
