import type { KubeconfigContext } from '../authn/pki/kubeconfig.js';
import type { Pki } from '../authn/pki/files.js';
import type { Offload } from '../lib/offload/interface.js';
import type { Client } from '../client/interface.js';
import type { Identity } from '../apimachinery/identity.js';
import type { Authorizer } from '../registry/access.js';
import type { WebhookCaller } from '../registry/webhook-caller.js';
import type { LiveCatalogue } from '../registry/catalogue/catalogue.js';
import type { FeatureGates } from '../kinds/karmada/feature-gates.js';
import type { ConnectHandler, Delegate, HealthCheck } from '../apiserver/interface.js';
import type { ComponentMeter } from '../apiserver/metrics/meter.js';
import type { ObserveQueue } from '../client/runtime/interface.js';
import type { AdjustableLogger } from './logger.js';
import type { PublishedResource, RemoteGroupVersion } from '../openapi/publish/interface.js';
import type { Registry } from 'prom-client';

/** The services of a running API server for the parts on top of it. */
export interface PartContext {
  /** Returns a client in process that is not authorized. `name` is the field manager of its writes. */
  readonly clientFor: (identity: Identity, name?: string) => Client;
  readonly catalogue: LiveCatalogue;
  /** Decides what users may do, as for requests to the server. */
  readonly authorize: Authorizer;
  readonly featureGates: FeatureGates;
  readonly url: string;
  /** Other processes may serve from the same store. Absent: there are none. */
  readonly peers?: {
    /** Where they reach this process; undefined if it serves no port itself. */
    readonly url: string | undefined;
  };
  readonly pki: Pki;
  readonly log: AdjustableLogger;
  readonly metrics: Registry;
  /** Counts events of controllers' work queues. */
  readonly observeQueue: ObserveQueue;
  /** Counts events of components. */
  readonly meter: ComponentMeter;
  /** Calls the webhooks of users. */
  readonly callWebhook: WebhookCaller;
  /** Runs work that would hold the event loop in another thread. */
  readonly offload: Offload;
  /** Aborts when the server stops. */
  readonly signal: AbortSignal;
  /** Resolves when all parts have started, or the server stops. */
  readonly started: Promise<void>;
  /** Adds a check to /healthz, /livez or /readyz. */
  check(check: HealthCheck): void;
}

/** Group versions that a part serves by its delegates, without kinds in the catalogue. */
export interface ServedGroupVersions {
  /** Resources with schemas, which are documented as those of the catalogue. */
  readonly resources: readonly PublishedResource[];
  /** Group versions whose delegate answers their discovery document, too. */
  readonly dynamic: readonly RemoteGroupVersion[];
}

export interface RunningPart {
  /** Called once, after the signal aborted. */
  stop(): Promise<void>;
  /** Other servers that the part runs, for the kubeconfig. */
  readonly contexts?: readonly KubeconfigContext[];
  /** Connect subresources that the part serves, by `PLURAL.GROUP/SUBRESOURCE`, for the core group by `PLURAL/SUBRESOURCE`. */
  readonly connects?: Readonly<Record<string, ConnectHandler>>;
  /** Paths that the part serves instead of the server's own kinds. */
  readonly delegates?: readonly Delegate[];
  /** The group versions of these paths, for discovery. Another server whose APIService names one of them replaces the part's. */
  readonly groupVersions?: ServedGroupVersions;
}

/** Something that runs on top of the API: a set of controllers, a scheduler, simulated members. */
export interface Part {
  readonly name: string;
  /** Resolves when the part works. */
  start(context: PartContext): Promise<RunningPart | void>;
}
