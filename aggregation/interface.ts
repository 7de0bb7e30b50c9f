/** The contracts of clients of other API servers. */
import type { GroupVersionResource, KubeList, KubeObject } from '../apimachinery/interface.js';
import type { Duplex } from 'node:stream';
import type { Cluster } from '../api/karmada/types.js';
import type {
  Client,
  ListerWatcher,
  ListQuery,
  MappedResource,
  ResourceMapper,
  WatchEvent,
  WatchQuery,
} from '../client/interface.js';

/** Address and credentials of a server. Tokens and keys are kept in memory only. */
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
  /** The host in metrics; absent: that of the server. Set where another side chooses the server, as an agent does with its tunnel. */
  readonly seriesHost?: string;
  /** Opens the connections to the server, on which TLS begins. Absent: TCP to its address, or through the proxy. */
  readonly openSocket?: () => Promise<Duplex>;
}

/** The way to a member through the reverse tunnel of its agent. It stays the same object while the tunnel is replaced, and for some time without one. */
export interface TunnelRoute {
  /** The URL of the API server of the member, as its agent reaches it. */
  readonly server: string;
  /** The number of connections that `openForUsers` opens at a time. */
  readonly maxUserConnections: number;
  /** Opens a connection to it. Rejects when there is no tunnel at present, or the agent cannot connect. */
  readonly open: () => Promise<Duplex>;
  /**
   * As `open`, for proxied requests of users: rejects when these have as many connections as they may. `user`: it carries requests of this user only, which
   * may have a share of them.
   */
  readonly openForUsers: (user?: string) => Promise<Duplex>;
}

/** The reverse tunnels that agents keep to this process. */
export interface TunnelRoutes {
  /** Returns the way to a cluster; undefined for one that is reached by its address. */
  routeOf(cluster: Cluster): TunnelRoute | undefined;
}

/** The result of reading the discovery of a server. */
export interface Discovery {
  /** The resources of the group versions that could be read. */
  readonly resources: readonly MappedResource[];
  /** The group versions that the server has, but whose resources could not be read: `apps/v1`. */
  readonly failed: readonly string[];
}

/**
 * The resources of another server. Those of a group version that cannot be read any more stay as they were. `forKind` rejects for an unknown kind
 * of such a group version.
 */
export interface RemoteMapper extends ResourceMapper {
  /** Resolves with the same object as before if nothing has changed. Rejects if no group version can be read. */
  refresh(): Promise<Discovery>;
  /**
   * Reads the discovery, and reports whether it is without the resource. A resource of a group version that cannot be read may be there. Rejects as
   * `refresh` does.
   */
  lacks(resource: GroupVersionResource): Promise<boolean>;
}

export interface RemoteClient extends Client {
  readonly mapper: RemoteMapper;
  /** Reads one list, or a page of it. Rejects when the signal aborts. */
  list(resource: GroupVersionResource, query?: ListQuery, signal?: AbortSignal): Promise<KubeList>;
  /** Requests any path, for probes and discovery. Resolves for every status code. */
  raw(request: RawRequest): Promise<RawResponse>;
  /** Yields the objects of a list page by page, in time slices. Returns the resourceVersion of the list. Throws when the signal aborts. */
  each(resource: GroupVersionResource, query?: ListQuery, signal?: AbortSignal): AsyncGenerator<Received, string, void>;
  /** Passes on the objects of one list as they arrive, in time slices, and holds none. Rejects with what `onItem` throws. */
  scan(resource: GroupVersionResource, query: ListQuery, scan: Scan): Promise<void>;
  /** Watches as `Client.watch` does; each event has its size in bytes. */
  events(resource: GroupVersionResource, query: WatchQuery, signal: AbortSignal): AsyncGenerator<ReceivedEvent, void>;
  /** Returns a client for mirrors that hold only a part of each object. */
  holding(partOf: PartOf): ListerWatcher;
  close(): Promise<void>;
}

/** How a list is read whose objects are not held. */
export interface Scan {
  readonly signal: AbortSignal;
  /** Maximum bytes of the list. */
  readonly maxBytes: number;
  /** Maximum number of JSON values in an item. */
  readonly maxItemValues: number;
  readonly onItem: (object: KubeObject) => void;
}

/** The part of each object that a mirror holds. */
export interface HeldPart {
  /** The server is asked for the metadata only. */
  readonly isMetadataOnly?: boolean;
  /** The objects are rarely read after their changes, and may be held as text. */
  readonly isRarelyRead?: boolean;
  /** Returns the part of an object, with its memory. It may change the object, which nothing else refers to. Absent: the whole object is held. */
  readonly of?: (received: Received) => Received;
}

/** Returns which part the mirror of a resource and selection holds. */
export type PartOf = (resource: GroupVersionResource, query: ListQuery) => HeldPart;

/** An object with its approximate memory in bytes. */
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
  /** Maximum size of the answer in bytes; the default is the maximum size of an object. */
  readonly maxBytes?: number;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** A joined cluster, with a client that uses the credentials of its secret. */
export interface Member {
  readonly name: string;
  readonly client: RemoteClient;
  /** Without the token, which may change. */
  readonly endpoint: Endpoint;
  /** Maximum memory in bytes of the mirrors of one component. */
  readonly memoryLimit: number;
  /** Aborts when the cluster is removed, or its address or CA changes. */
  readonly signal: AbortSignal;
}

export interface Members {
  /** Returns the member of a Cluster object, connected at the first call. Rejects if its secret is missing or unusable. */
  connect(cluster: KubeObject): Promise<Member>;
  forget(name: string): Promise<void>;
  close(): Promise<void>;
}
