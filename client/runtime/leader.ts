import { StatusError } from '../../apimachinery/errors/status.js';
import type { Client } from '../interface.js';
import type { Logger } from '../../lib/logging/interface.js';
import { type Gauge, type Meter, noMeter } from './meter.js';
import { Trouble } from '../../lib/logging/trouble.js';
import { find } from './update.js';
import type { Clock } from '../../lib/clock.js';
import { leases } from '../../api/kubernetes/resources.js';

export interface LeaderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly namespace: string;
  /** Name of the Lease, such as `karmada-controller-manager`. */
  readonly name: string;
  /** Identity of this process, unique among the replicas. */
  readonly identity: string;
  readonly leaseMs?: number; // 15 s
  readonly renewMs?: number; // 10 s; a leader stops if it could not renew the Lease for this long
  readonly retryMs?: number; // 2 s
  readonly signal: AbortSignal;
  /** Gets a gauge that shows whether this process leads. */
  readonly meter?: Meter;
  /** Runs while this process leads; its signal aborts when leadership is lost. */
  readonly lead: (signal: AbortSignal) => Promise<void>;
}

interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
}

// as component-base/metrics/prometheus/clientgo/leaderelection
const leaderSeries = (meter: Meter, name: string): Gauge => {
  const help = '[ALPHA] Does this server lead (1), or wait (0)? By the name of the Lease.';
  return meter.updown('leader_election_master_status', help, ['name'])(name);
};

/**
 * Runs leader election with a Lease: the holder renews it; others wait until it has not changed for its duration by their own clock.
 * Returns after the signal aborts and the Lease is released. as client-go tools/leaderelection
 */
export async function runWithLeader(options: LeaderOptions): Promise<void> {
  const { client, clock, log, namespace, name, identity, signal } = options;
  const { leaseMs = 15_000, renewMs = 10_000, retryMs = 2_000, meter = noMeter } = options;
  const leads = leaderSeries(meter, name);
  leads.set(0);
  const about = { lease: `${namespace}/${name}` };
  const trouble = new Trouble({
    ...{ log, now: () => clock.now(), graceMs: 2 * retryMs },
    fails: 'the Lease of a leader election cannot be read or written',
    works: 'the Lease of a leader election can be written again',
  });
  let seen: { version: string; at: number } | undefined;

  const microTime = (): string => new Date(clock.now()).toISOString().replace('Z', '000Z');

  /** Tries once to acquire or renew the Lease. Returns whether this process holds it. */
  async function tryAcquire(): Promise<boolean> {
    const lease = await find(client, leases, { namespace, name });
    const spec = (lease?.['spec'] ?? {}) as LeaseSpec;
    const version = lease?.metadata.resourceVersion ?? '';
    if (seen?.version !== version) seen = { version, at: clock.now() };
    const foreign = Boolean(spec.holderIdentity) && spec.holderIdentity !== identity;
    if (foreign && clock.now() < seen.at + (spec.leaseDurationSeconds ?? leaseMs / 1000) * 1000) return false;
    const mine = spec.holderIdentity === identity;
    const next: LeaseSpec = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.round(leaseMs / 1000),
      acquireTime: mine ? (spec.acquireTime ?? microTime()) : microTime(),
      renewTime: microTime(),
      leaseTransitions: (spec.leaseTransitions ?? 0) + (lease && !mine ? 1 : 0),
    };
    try {
      if (lease) await client.update(leases, { ...lease, spec: next });
      else {
        const fresh = {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { namespace, name },
          spec: next,
        };
        await client.create(leases, fresh);
      }
      return true;
    } catch (error) {
      if (error instanceof StatusError && error.code === 409) return false;
      throw error;
    }
  }

  async function attempt(): Promise<boolean> {
    try {
      const held = await tryAcquire();
      trouble.worked();
      return held;
    } catch (error) {
      trouble.failed(error, about);
      return false;
    }
  }

  async function release(): Promise<void> {
    const lease = await find(client, leases, { namespace, name });
    const spec = (lease?.['spec'] ?? {}) as LeaseSpec;
    if (!lease || spec.holderIdentity !== identity) return;
    await client.update(leases, {
      ...lease,
      spec: { ...spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime() },
    });
  }

  while (!signal.aborted) {
    if (!(await attempt())) {
      await clock.sleep(retryMs, signal);
      continue;
    }
    log.info({ ...about, identity }, 'leader election won');
    leads.set(1);
    const lost = new AbortController();
    const work = options.lead(AbortSignal.any([signal, lost.signal]));
    let renewed = clock.now();
    while (!signal.aborted && clock.now() - renewed < renewMs) {
      await clock.sleep(retryMs, signal);
      if (!signal.aborted && (await attempt())) renewed = clock.now();
    }
    lost.abort();
    leads.set(0);
    if (signal.aborted) log.info(about, 'leader election given up');
    else log.warn(about, 'leader election lost: the Lease was not renewed in time');
    await work;
    // If the release fails, others wait until the Lease expires.
    if (signal.aborted)
      await release().catch((error: unknown) => log.debug({ ...about, err: error }, 'Lease not released'));
  }
}
