/**
 * What a server tells about itself: discovery and OpenAPI, computed from what it serves. Documents are plain values; who serves them
 * negotiates and encodes. A registry's ResourceDefinition is a PublishedResource as it stands.
 */
import type { GroupVersionKind, JsonObject } from '../../apimachinery/interface.js';
import type { Schema } from '../../apimachinery/codec/interface.js';

/** What publishing needs to know of a resource. */
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
  /** Absent: `group`. Objects of events.k8s.io are stored as, and with, those of the core group's resource of the same plural. */
  readonly storageGroup?: string;
  readonly verbs: readonly string[];
  /** What discovery says of them; absent: all. */
  readonly discoveredVerbs?: readonly string[];
  readonly subresources: Readonly<Record<string, PublishedSubresource>>;
  readonly strategy: { readonly returnsDeleted: boolean };
  /** `itemsCarryType` tells custom resources from compiled ones: their documents differ in order and detail. */
  readonly wire: { readonly itemsCarryType: boolean; readonly strategicMerge: boolean; readonly protobuf: boolean };
}

export interface PublishedVersion {
  readonly name: string;
  readonly served: boolean;
  readonly schema: Schema;
  readonly selectableFields: Readonly<Record<string, unknown>>;
  /** Absent: those of the resource. */
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

/** A group-version that another server serves (a non-local APIService). */
export interface RemoteGroupVersion {
  readonly group: string;
  readonly version: string;
  readonly priority: Priority;
  /** 'Stale' while the server cannot be asked; its resources are then the last known, or none. */
  readonly freshness: 'Current' | 'Stale';
  /** The `resources` of its APIVersionDiscovery. */
  readonly resources: readonly JsonObject[];
  /** The hash under which it offers its OpenAPI v3 document; absent when it has none. */
  readonly openApiHash?: string;
}

/** Texts for readers of documents. */
export interface Descriptions {
  /** The text for a native type, or one of its fields. */
  describe?(typeName: string, field?: string): string | undefined;
  /** The text for a parameter of an operation, by the operation's id. */
  describeParameter?(operation: string, parameter: string): string | undefined;
}

/** What is served, seen through functions: documents are computed anew when `generation` says something else than before. */
export interface PublishSource extends Descriptions {
  generation(): unknown;
  resources(): Iterable<PublishedResource>;
  remote?(): Iterable<RemoteGroupVersion>;
  /** Of APIServices that say other than the built-in ones. */
  priority?(group: string, version: string): Priority | undefined;
}

/** Makes the protobuf form of an OpenAPI document from its JSON. It takes long, so it is done in another thread where there is one. */
export type ToProtobuf = (version: 'v2' | 'v3', json: Buffer) => Promise<Uint8Array>;

/** The bytes of a document. */
export interface Encoded {
  readonly json: Buffer;
  /** SHA-512 of the bytes in upper-case hex: the ETag (to be quoted) and the hash of OpenAPI v3. */
  readonly hash: string;
}

/** All documents of a server. Computed when asked for, and kept until the source changes. Shared: not to be changed. */
export interface Publications {
  /** `/api`. `serverAddress`: host:port under which this server is reached. */
  coreVersions(serverAddress: string): JsonObject;
  /** `/apis` */
  groups(): JsonObject;
  /** `/apis/GROUP` */
  group(name: string): JsonObject | undefined;
  /** `/api/v1` and `/apis/GROUP/VERSION`, of what this server serves by itself. */
  resources(group: string, version: string): JsonObject | undefined;
  /** `/api` and `/apis` as apidiscovery.k8s.io/v2. */
  aggregated(root: 'api' | 'apis'): Encoded & { readonly document: JsonObject };
  /** `/openapi/v3` */
  openApiV3Index(): Promise<Encoded>;
  /** `/openapi/v3/PATH`; `apis/apps/v1`. Undefined for paths without a document of this server. */
  openApiV3(path: string): Promise<Encoded> | undefined;
  /** The same as `application/com.github.proto-openapi.spec.v3.v1.0+protobuf`, under the hash of the JSON. */
  openApiV3Protobuf(path: string): Promise<Uint8Array> | undefined;
  /** `/openapi/v2` as JSON. Both forms have the ETag of the JSON. */
  openApiV2(): Promise<Encoded>;
  /** `/openapi/v2` as `application/com.github.proto-openapi.spec.v2.v1.0+protobuf`. */
  openApiV2Protobuf(): Promise<Uint8Array>;
}
