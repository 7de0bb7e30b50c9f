/** Everything that speaks to other API servers. */
import type { GroupVersionResource, KubeObject } from '../apimachinery/interface.js';
import type { Client, ListQuery, WatchEvent, WatchQuery } from '../client/interface.js';

/** How to reach a server. Tokens and keys are in memory only. */
export interface Endpoint {
  readonly server: string; // https://host:port[/path]
  readonly ca?: string; // PEM
  readonly insecureSkipVerify?: boolean;
  readonly clientCertificate?: string; // PEM
  readonly clientKey?: string; // PEM
  readonly token?: string;
  readonly impersonate?: { readonly user: string; readonly groups?: readonly string[] };
  readonly proxyUrl?: string;
  readonly proxyHeaders?: Readonly<Record<string, string>>;
}

export interface RemoteClient extends Client {
  /** Any path, for probes and discovery. Resolves with any status. */
  raw(request: RawRequest): Promise<RawResponse>;
  /** The objects of a list, page by page, in small pieces of work. Returns the resourceVersion of the list. */
  each(resource: GroupVersionResource, query?: ListQuery): AsyncGenerator<Received, string, void>;
  /** As `Client.watch`; each event says how many bytes it took. */
  events(resource: GroupVersionResource, query: WatchQuery, signal: AbortSignal): AsyncGenerator<ReceivedEvent, void>;
  close(): Promise<void>;
}

/** An object and roughly how many bytes of memory it takes. */
export interface Received {
  readonly object: KubeObject;
  readonly size: number;
}

export type ReceivedEvent = WatchEvent & { readonly size: number };

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal;
  /** Bytes of the longest answer that is read; absent: as long as an object may be. */
  readonly most?: number;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** One joined cluster: a pooled client with the credentials of its secret. */
export interface Member {
  readonly name: string;
  readonly client: RemoteClient;
  readonly endpoint: Endpoint;
  /** The informers of the member, started on demand, stopped when the cluster leaves or its credentials change. */
  readonly signal: AbortSignal;
}

export interface Members {
  /** Builds (or hands out) the member of a Cluster object; rejects when its secret is missing or unusable. */
  connect(cluster: KubeObject): Promise<Member>;
  forget(name: string): Promise<void>;
  close(): Promise<void>;
}
