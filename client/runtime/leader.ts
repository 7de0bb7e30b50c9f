import { namespacedName } from '../../apimachinery/meta/gvk.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Client } from '../interface.js';
import type { Logger } from '../../lib/logging/interface.js';
import { type Gauge, type Meter, noMeter } from './meter.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import { FailureState } from '../../lib/logging/failure-state.js';
import { find } from '../find.js';
import type { Clock } from '../../lib/clock.js';
import { leases } from '../../api/kubernetes/resources.js';

interface LeaderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly namespace: string;
  /** Name of the Lease, such as `karmada-controller-manager`. */
  readonly name: string;
  /** Identity of this process, unique among the replicas. */
  readonly identity: string;
  readonly leaseMs?: number; // 15 s
  readonly renewMs?: number; // 10 s; a leader stops if it could not renew the Lease for this long, and an attempt takes no longer
  readonly retryMs?: number; // 2 s
  /** Milliseconds between two renewals while they succeed; `retryMs` if absent. */
  readonly renewEveryMs?: number;
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
  const help = '[ALPHA] Whether this server is the leader (1) or not (0), by the name of the Lease.';
  return meter.updown('leader_election_master_status', help, ['name'])(name);
};

/**
 * Runs leader election with a Lease: the holder renews it; others wait until it has not changed for its duration by their own clock.
 * Returns after the signal aborts and the Lease is released. as client-go tools/leaderelection
 */
export async function runWithLeader(options: LeaderOptions): Promise<void> {
  await new LeaderElector(options).run();
}

class LeaderElector {
  readonly #options: LeaderOptions;
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #renewMs: number;
  readonly #retryMs: number;
  readonly #renewEveryMs: number;
  readonly #leads: Gauge;
  readonly #failureState: FailureState;
  /** Names the Lease in log lines. */
  readonly #about: { readonly lease: string };
  /** The version of the Lease that was read last, and when it was first read. */
  #seen: { readonly version: string; readonly at: number } | undefined;
  /** The Lease as this process wrote it last, while it holds it. */
  #held: KubeObject | undefined;

  constructor(options: LeaderOptions) {
    const { clock, log, namespace, name } = options;
    const { leaseMs = 15_000, renewMs = 10_000, retryMs = 2_000, meter = noMeter } = options;
    this.#options = options;
    this.#clock = clock;
    this.#leaseMs = leaseMs;
    this.#renewMs = renewMs;
    this.#retryMs = retryMs;
    this.#renewEveryMs = options.renewEveryMs ?? retryMs;
    this.#leads = leaderSeries(meter, name);
    this.#about = { lease: namespacedName(namespace, name) };
    this.#failureState = new FailureState({
      ...{ log, now: () => clock.now(), graceMs: 2 * retryMs },
      fails: 'the Lease of a leader election cannot be read or written',
      works: 'the Lease of a leader election can be written again',
    });
  }

  async run(): Promise<void> {
    const { log, signal } = this.#options;
    this.#leads.set(0);
    while (!signal.aborted) {
      const deadline = this.#clock.now() + this.#renewMs;
      if (!(await this.#attempt(deadline))) {
        await this.#clock.sleep(this.#retryMs, signal);
        continue;
      }
      await this.#lead(deadline);
      // If the release fails, others wait until the Lease expires.
      if (signal.aborted)
        await this.#release().catch((err: unknown) => log.debug({ ...this.#about, err }, 'Lease not released'));
    }
  }

  /** Leads for as long as the Lease is renewed before the deadline, which counts from the beginning of the last attempt that succeeded. */
  async #lead(acquiredUntil: number): Promise<void> {
    const { log, identity, signal, lead } = this.#options;
    log.info({ ...this.#about, identity }, 'leader election won');
    this.#leads.set(1);
    const lost = new AbortController();
    const work = lead(AbortSignal.any([signal, lost.signal]));
    let deadline = acquiredUntil;
    let waitMs = this.#renewEveryMs;
    while (!signal.aborted && this.#clock.now() < deadline) {
      await this.#clock.sleep(Math.min(waitMs, deadline - this.#clock.now()), signal);
      const next = this.#clock.now() + this.#renewMs;
      const hasRenewed = !signal.aborted && (await this.#attempt(deadline));
      waitMs = hasRenewed ? this.#renewEveryMs : this.#retryMs;
      if (hasRenewed) deadline = next;
    }
    this.#held = undefined;
    lost.abort();
    this.#leads.set(0);
    if (signal.aborted) log.info(this.#about, 'leader election given up');
    else log.warn(this.#about, 'leader election lost: the Lease was not renewed in time');
    await work;
  }

  /** Tries once to acquire or renew the Lease. Returns whether this process holds it; false at the deadline, after which an answer is ignored. */
  async #attempt(deadline: number): Promise<boolean> {
    const ended = new AbortController();
    try {
      const attempt = this.#tryAcquire(ended.signal);
      this.#held = await Promise.race([attempt, this.#failAt(deadline, ended.signal)]);
      this.#failureState.worked();
      return this.#held !== undefined;
    } catch (error) {
      this.#failureState.failed(error, this.#about);
      return false;
    } finally {
      ended.abort();
    }
  }

  /** Rejects at a time, or when the signal aborts. */
  async #failAt(deadline: number, signal: AbortSignal): Promise<never> {
    await this.#clock.sleep(Math.max(0, deadline - this.#clock.now()), signal);
    throw new ExpectedError('the Lease was not read and written before the renew deadline');
  }

  /** Returns the Lease if this process holds it. Writes nothing further after the end of the attempt. */
  async #tryAcquire(ended: AbortSignal): Promise<KubeObject | undefined> {
    const { identity } = this.#options;
    const renewed = await this.#renewHeld();
    if (renewed || ended.aborted) return renewed;
    const lease = await this.#read();
    if (ended.aborted) return undefined;
    const spec = specOf(lease);
    const version = lease?.metadata.resourceVersion ?? '';
    if (this.#seen?.version !== version) this.#seen = { version, at: this.#clock.now() };
    const foreign = Boolean(spec.holderIdentity) && spec.holderIdentity !== identity;
    const durationMs = (spec.leaseDurationSeconds ?? this.#leaseMs / 1000) * 1000;
    if (foreign && this.#clock.now() < this.#seen.at + durationMs) return undefined;
    try {
      return await this.#write(lease, this.#acquired(spec, lease !== undefined));
    } catch (error) {
      if (error instanceof StatusError && error.code === 409) return undefined;
      throw error;
    }
  }

  /** Renews the Lease without reading it before. Returns undefined if this process does not hold it, or another one has written it since. */
  async #renewHeld(): Promise<KubeObject | undefined> {
    const held = this.#held;
    if (!held) return undefined;
    this.#held = undefined;
    try {
      return await this.#write(held, this.#acquired(specOf(held), true));
    } catch (error) {
      if (error instanceof StatusError && (error.code === 409 || error.code === 404)) return undefined;
      throw error;
    }
  }

  /** Returns the spec of the Lease with this process as its holder. */
  #acquired(spec: LeaseSpec, exists: boolean): LeaseSpec {
    const { identity } = this.#options;
    const mine = spec.holderIdentity === identity;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.round(this.#leaseMs / 1000),
      acquireTime: mine ? (spec.acquireTime ?? this.#microTime()) : this.#microTime(),
      renewTime: this.#microTime(),
      leaseTransitions: (spec.leaseTransitions ?? 0) + (exists && !mine ? 1 : 0),
    };
  }

  async #release(): Promise<void> {
    const lease = await this.#read();
    const spec = specOf(lease);
    if (!lease || spec.holderIdentity !== this.#options.identity) return;
    await this.#write(lease, { ...spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: this.#microTime() });
  }

  #read(): Promise<KubeObject | undefined> {
    const { client, namespace, name } = this.#options;
    return find(client, leases, { namespace, name });
  }

  async #write(lease: KubeObject | undefined, spec: LeaseSpec): Promise<KubeObject> {
    const { client, namespace, name } = this.#options;
    if (lease) return client.update(leases, { ...lease, spec });
    const about = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace, name } };
    return client.create(leases, { ...about, spec });
  }

  #microTime(): string {
    return new Date(this.#clock.now()).toISOString().replace('Z', '000Z');
  }
}

const specOf = (lease: KubeObject | undefined): LeaseSpec => lease?.['spec'] ?? {};
