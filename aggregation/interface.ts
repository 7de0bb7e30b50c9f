/** Everything that speaks to other API servers. */
import type { KubeObject } from '../openapi/interface.js';
import type { Client } from '../registry/interface.js';

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
  /** Any path, for probes, discovery and proxies. Resolves with any status. */
  raw(request: RawRequest): Promise<RawResponse>;
  close(): Promise<void>;
}

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal;
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
