/** Admission: between decoding and storing, plugins mutate and validate the object of a request. */
import type { KubeObject } from '../apimachinery/interface.js';
import type { Floats } from '../apimachinery/codec/floats.js';
import type { Client } from '../client/interface.js';
import type { Identity } from '../apimachinery/identity.js';
import type { ResourceDefinition } from './interface.js';
import type { Maybe } from '../lib/maybe.js';

export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly definition: ResourceDefinition;
  /** The version of the request. */
  readonly version: string;
  readonly subresource: string;
  readonly namespace: string;
  /** '' in mutating admission of a create without a name, whose name is generated afterwards. */
  readonly name: string;
  readonly user: Identity;
  readonly dryRun: boolean;
  /** The create, update, patch or delete options in the form of the API. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The draft, to be changed in place by `mutate`; absent on delete. In the storage version. */
  readonly object: KubeObject | undefined;
  readonly old: KubeObject | undefined;
  /** Paths of integral floats of a custom resource; set by a plugin that decodes the object again. */
  floats?: Floats | undefined;
  readonly warn: (text: string) => void;
  /** Adds an annotation to the audit event, with a key like `DOMAIN/NAME`; the first value of a key stays. Free without audit. */
  annotate(key: string, value: string): void;
  /** Records that the request waited for a webhook. */
  waited?(milliseconds: number): void;
  /** Resolves in a later turn of the event loop. Awaited between steps of work; absent unless the object is so large that each step takes long. */
  readonly pause?: (() => Promise<void>) | undefined;
  /** Notes that a plugin is about to add up to so many bytes of JSON to the object. */
  grows?(bytes: number): void;
  /** Aborts when the client has gone. Created on first use. */
  readonly signal?: AbortSignal;
}

/** An admission plugin refuses a request by throwing a StatusError. A chain of plugins is a plugin (`chain.ts`). */
export interface AdmissionPlugin {
  readonly name: string;
  /** The resources that it handles (`pods`, `ingresses.networking.k8s.io`); absent for all. */
  readonly resources?: readonly string[];
  /** The plugin handles CONNECT, too, whose objects are options (`PodExecOptions`). */
  readonly connects?: boolean;
  readonly mutate?: (request: AdmissionRequest) => Maybe<void>;
  validate?(request: AdmissionRequest): Maybe<void>;
}

/** The dependencies of plugins. */
export interface AdmissionDeps {
  readonly client: Client;
  readonly now?: () => Date;
}
