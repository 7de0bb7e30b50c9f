/**
 * Discovery and OpenAPI documents, computed from the served resources. Documents are plain values; the HTTP layer negotiates formats and
 * encodes them. A ResourceDefinition of the registry is a PublishedResource.
 */
import type { GroupVersionKind, JsonObject } from '../../apimachinery/interface.js';
import type { Schema } from '../../apimachinery/codec/interface.js';

/** The properties of a resource that are published. */
export interface PublishedResource {
  readonly group: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly versions: readonly PublishedVersion[];
  readonly storageVersion: string;
  /** Group under which objects are stored; absent for `group`. Objects of events.k8s.io are stored as events of the core group. */
  readonly storageGroup?: string;
  readonly verbs: readonly string[];
  /** The verbs in discovery; absent for all. */
  readonly discoveredVerbs?: readonly string[];
  readonly subresources: Readonly<Record<string, PublishedSubresource>>;
  readonly strategy: { readonly returnsDeleted: boolean };
  /** `itemsCarryType` is true for custom resources; their documents differ from those of compiled ones in order and detail. */
  readonly wire: { readonly itemsCarryType: boolean; readonly strategicMerge: boolean; readonly protobuf: boolean };
}

export interface PublishedVersion {
  readonly name: string;
  readonly served: boolean;
  readonly schema: Schema;
  readonly selectableFields: Readonly<Record<string, unknown>>;
  /** Absent if the version has those of the resource. */
  readonly subresources?: Readonly<Record<string, PublishedSubresource>>;
}

export type PublishedSubresource =
  | { readonly type: 'part'; readonly verbs: readonly string[] }
  | { readonly type: 'scale'; readonly verbs: readonly string[] }
  | { readonly type: 'action'; readonly verbs: readonly string[]; readonly kind: GroupVersionKind }
  | { readonly type: 'connect'; readonly verbs: readonly string[]; readonly kind: GroupVersionKind };

/** groupPriorityMinimum and versionPriority of an APIService; higher comes first. */
export interface Priority {
  readonly group: number;
  readonly version: number;
}

/** A group-version of another server (a non-local APIService). */
export interface RemoteGroupVersion {
  readonly group: string;
  readonly version: string;
  readonly priority: Priority;
  /** 'Stale' while the server does not respond; `resources` are then the last known ones, or empty. */
  readonly freshness: 'Current' | 'Stale';
  /** The `resources` of its APIVersionDiscovery. */
  readonly resources: readonly JsonObject[];
  /** The hash of its OpenAPI v3 document; absent if it has none. */
  readonly openApiHash?: string;
}

/** Descriptions in documents. */
export interface Descriptions {
  /** Returns the description of a native type, or of one of its fields. */
  readonly describe?: (typeName: string, field?: string) => string | undefined;
  /** Returns the description of a parameter of the operation with this id. */
  readonly describeParameter?: (operation: string, parameter: string) => string | undefined;
}

/** The served resources. Documents are computed again when `generation` returns another value than before. */
export interface PublishSource extends Descriptions {
  generation(): unknown;
  resources(): Iterable<PublishedResource>;
  remote?(): Iterable<RemoteGroupVersion>;
  /** Returns the priority of an APIService that differs from the built-in one; undefined for the built-in one. */
  priority?(group: string, version: string): Priority | undefined;
}

/** Makes the protobuf form of an OpenAPI document from its JSON. This takes long, so the server does it in another thread. */
export type ToProtobuf = (version: 'v2' | 'v3', json: Buffer) => Promise<Uint8Array>;

/** The bytes of a document. */
export interface Encoded {
  readonly json: Buffer;
  /** SHA-512 of the bytes in upper-case hex: the ETag (to be quoted) and the hash of OpenAPI v3. */
  readonly hash: string;
}

/** All documents of a server. They are computed on first use and cached until the source changes. Callers must not change them. */
export interface Publications {
  /** `/api`. `serverAddress`: host:port under which this server is reached. */
  coreVersions(serverAddress: string): JsonObject;
  /** `/apis` */
  groups(): JsonObject;
  /** `/apis/GROUP` */
  group(name: string): JsonObject | undefined;
  /** `/api/v1` and `/apis/GROUP/VERSION`; undefined for group-versions of other servers. */
  resources(group: string, version: string): JsonObject | undefined;
  /** `/api` and `/apis` as apidiscovery.k8s.io/v2. */
  aggregated(root: 'api' | 'apis'): Encoded & { readonly document: JsonObject };
  /** `/openapi/v3` */
  openApiV3Index(): Promise<Encoded>;
  /** `/openapi/v3/PATH`; `apis/apps/v1`. Undefined for paths without a document of this server. */
  openApiV3(path: string): Promise<Encoded> | undefined;
  /** `/openapi/v3/PATH` as `application/com.github.proto-openapi.spec.v3.v1.0+protobuf`. The hash is that of the JSON. */
  openApiV3Protobuf(path: string): Promise<Uint8Array> | undefined;
  /** `/openapi/v2` as JSON. Both forms have the ETag of the JSON. */
  openApiV2(): Promise<Encoded>;
  /** `/openapi/v2` as `application/com.github.proto-openapi.spec.v2.v1.0+protobuf`. */
  openApiV2Protobuf(): Promise<Uint8Array>;
}
