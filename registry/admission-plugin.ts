/** Admission: after decoding and before storing, plugins change (mutate) and judge (validate) what a request would write. */
import type { KubeObject } from '../apimachinery/interface.js';
import type { Floats } from '../apimachinery/codec/floats.js';
import type { Client } from '../client/interface.js';
import type { Identity } from '../apimachinery/identity.js';
import type { ResourceDefinition } from './interface.js';

export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly definition: ResourceDefinition;
  /** The version that the client spoke. */
  readonly version: string;
  readonly subresource: string;
  readonly namespace: string;
  /** '' while generateName has not been resolved. */
  readonly name: string;
  readonly user: Identity;
  readonly dryRun: boolean;
  /** The create, update, patch or delete options as the API knows them. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The draft, to be changed in place by `mutate`; absent on delete. In the storage version. */
  readonly object: KubeObject | undefined;
  readonly old: KubeObject | undefined;
  /** Set by a plugin that has the object read anew: where whole numbers of a custom resource are floats now. */
  floats?: Floats | undefined;
  warn(text: string): void;
  /** A fact for the audit event of the request, by a key like `DOMAIN/NAME`; the first value of a key stays. Free when nobody audits. */
  annotate(key: string, value: string): void;
  /** The request waited so many milliseconds for somebody else: a webhook. */
  waited?(milliseconds: number): void;
  /** Aborted when nobody waits for the request any more. Made when first asked for. */
  readonly signal?: AbortSignal;
}

/** A refusal is a thrown StatusError. A chain of plugins is itself a plugin (`chain.ts`). */
export interface AdmissionPlugin {
  readonly name: string;
  /** The only resources that it looks at (`pods`, `ingresses.networking.k8s.io`); absent: all. */
  readonly resources?: readonly string[];
  /** It looks at CONNECT too; the objects of that are options (`PodExecOptions`). */
  readonly connects?: boolean;
  mutate?(request: AdmissionRequest): Promise<void> | void;
  validate?(request: AdmissionRequest): Promise<void> | void;
}

/** What plugins may use of the server they run in. */
export interface AdmissionDeps {
  readonly client: Client;
  readonly now?: () => Date;
}
