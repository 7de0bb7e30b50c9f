/** The API, as those who use it see it: objects, queries, and the verbs of a client. */
import type { GroupVersionKind, GroupVersionResource, KubeList, KubeObject } from '../apimachinery/interface.js';
import type { Int64 } from '../lib/json/json.js';

export interface ObjectKey {
  /** '' for cluster-scoped resources. */
  readonly namespace?: string;
  readonly name: string;
}

export interface ListQuery {
  /** Absent or '': all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  readonly limit?: number;
  readonly continue?: string;
}

export interface WatchQuery extends ListQuery {
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
}

export type WatchEvent<T = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject };

export interface WriteOptions {
  readonly subresource?: string;
  readonly fieldManager?: string;
  readonly dryRun?: boolean;
}

/** `literals`: the patch was a text, and may hold Literals (`apimachinery/patch/literals.ts`). Without it, it is plain JSON. */
export type Patch =
  | { readonly type: 'json'; readonly patch: readonly unknown[]; readonly literals?: boolean }
  | {
      readonly type: 'merge' | 'strategic';
      readonly patch: Readonly<Record<string, unknown>>;
      readonly literals?: boolean;
    }
  | {
      readonly type: 'apply';
      readonly patch: Readonly<Record<string, unknown>>;
      readonly force?: boolean;
      /** What a strict reader has against its text: thrown when all else is right. */
      readonly refusal?: Error;
    };

export interface DeleteOptions {
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly gracePeriodSeconds?: Int64;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

/**
 * The API, as controllers see it: in process over the pipeline, remotely over HTTP. Returned objects are shared and are never
 * changed; copy one (`cloneJson`) before you change it. Errors are StatusError (apimachinery/errors/status).
 */
export interface Client {
  get(
    resource: GroupVersionResource,
    key: ObjectKey,
    options?: { readonly resourceVersion?: string; readonly subresource?: string },
  ): Promise<KubeObject>;
  list(resource: GroupVersionResource, query?: ListQuery): Promise<KubeList>;
  /** Ends with the signal, or when the server ends it; a 410 is thrown as StatusError. Resume from the last resourceVersion seen. */
  watch(resource: GroupVersionResource, query: WatchQuery, signal: AbortSignal): AsyncIterable<WatchEvent>;
  create(
    resource: GroupVersionResource,
    object: KubeObject,
    options?: WriteOptions & { readonly name?: string },
  ): Promise<KubeObject>;
  update(resource: GroupVersionResource, object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  patch(resource: GroupVersionResource, key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<KubeObject>;
  /** The object as it stood (or stands, when finalizers or grace keep it). */
  delete(resource: GroupVersionResource, key: ObjectKey, options?: DeleteOptions): Promise<void>;
  deleteCollection(resource: GroupVersionResource, query?: ListQuery, options?: DeleteOptions): Promise<void>;
  readonly mapper: ResourceMapper;
  /** Present on a client in the process that holds the objects: the same lists and watches, with objects that are parsed on first use. */
  readonly cached?: CachedReader;
}

/** Something that an object may have and that can be looked for in its bytes. */
export type ByteProbe =
  /** A field of its metadata. */
  | { readonly metadata: 'ownerReferences' | 'deletionTimestamp' }
  /** A part of a text in its data, of letters that JSON writes as they are; no name of a field. */
  | { readonly text: string };

/** An object where it is held, shared with everybody. */
export interface CachedObject {
  /** Differs between two states of an object. */
  readonly revision: string | number;
  /** Parses the object on first use. The parsed object is kept for as long as it is referenced. */
  readonly object: KubeObject;
  /** Bytes of memory that it takes here; absent: none of its own. */
  readonly size?: number;
  /** Found without parsing: false when the object surely does not have it. Absent: it is not known. */
  mightContain?(mark: ByteProbe): boolean;
}

/** By the key `namespace/name`, or `name` of cluster-scoped objects. */
export interface CachedItem {
  readonly key: string;
  readonly cached: CachedObject;
}

export type CachedEvent =
  | (CachedItem & { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly resourceVersion: string })
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

export interface CachedReader {
  /** `take` is told of the bytes of each object as it arrives, and throws when there is no room for it. */
  list(
    resource: GroupVersionResource,
    query?: ListQuery,
    take?: (bytes: number) => void,
  ): Promise<{ readonly resourceVersion: string; readonly items: readonly CachedItem[] }>;
  /** As `Client.watch`. */
  watch(resource: GroupVersionResource, query: WatchQuery, signal: AbortSignal): AsyncIterable<CachedEvent>;
  /** What is in memory now, at once. Undefined: nothing; whether there is something shows when it is asked for. */
  getCached(resource: GroupVersionResource, key: ObjectKey): CachedObject | undefined;
  /** All in a namespace ('': in all), by name. */
  listCached(resource: GroupVersionResource, namespace: string): readonly CachedObject[] | undefined;
}

/** Which resources a server has, and under which plural a kind is served. */
export interface ResourceMapper {
  /** Every served resource (no subresources). Remote: fetched by discovery, cached until `refresh`. */
  resources(): Promise<readonly MappedResource[]>;
  forKind(kind: GroupVersionKind): Promise<MappedResource | undefined>;
  refresh(): Promise<void>;
}

export interface MappedResource extends GroupVersionResource {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}
