import type { KubeconfigContext } from '../authn/pki/kubeconfig.js';
import type { Pki } from '../authn/pki/files.js';
import type { Offload } from '../lib/offload/interface.js';
import type { Client } from '../client/interface.js';
import type { Identity } from '../apimachinery/identity.js';
import type { LiveCatalogue } from '../registry/catalogue/catalogue.js';
import type { FeatureGates } from '../kinds/karmada/feature-gates.js';
import type { Connect, Delegate, HealthCheck } from '../apiserver/interface.js';
import type { Meter } from '../apiserver/metrics/meter.js';
import type { ObserveQueue } from '../apiserver/metrics/queue-metrics.js';
import type { Logger } from './logger.js';
import type { Registry } from 'prom-client';

/** What a running API gives to what runs on top of it. */
export interface PartContext {
  /** In process, trusted: nothing is authorized. Owns what it writes as `name`. */
  clientFor(identity: Identity, name?: string): Client;
  readonly catalogue: LiveCatalogue;
  readonly featureGates: FeatureGates;
  readonly url: string;
  readonly pki: Pki;
  readonly log: Logger;
  readonly metrics: Registry;
  /** Counts what happens in the queues of controllers. */
  readonly observeQueue: ObserveQueue;
  /** Counts what components do. */
  readonly meter: Meter;
  /** Runs work that would hold the event loop in another thread. */
  readonly offload: Offload;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
  /** Adds a check to /healthz, /livez or /readyz. */
  check(check: HealthCheck): void;
}

export interface RunningPart {
  /** Called once, after the signal aborted. */
  stop(): Promise<void>;
  /** Other servers that it runs, for the kubeconfig of whoever started all of this. */
  readonly contexts?: readonly KubeconfigContext[];
  /** Connect subresources that it serves, by `PLURAL.GROUP/SUBRESOURCE`, of the core group by `PLURAL/SUBRESOURCE`. */
  readonly connects?: Readonly<Record<string, Connect>>;
  /** Paths that it serves in place of our own kinds. */
  readonly delegates?: readonly Delegate[];
}

/** Something that runs on top of the API: a set of controllers, a scheduler, simulated members. */
export interface Part {
  readonly name: string;
  /** Resolves when it works. */
  start(context: PartContext): Promise<RunningPart | void>;
}
