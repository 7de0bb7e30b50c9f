/** The client side of the API: keys, queries, and the verbs of a client. */
import type {
  GroupVersionKind,
  GroupVersionResource,
  KubeList,
  KubeObject,
  ObjectMeta,
} from '../apimachinery/interface.js';
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

/** A patch. `literals`: it was parsed from text and may hold Literals (`apimachinery/patch/literals.ts`); otherwise it is plain JSON. */
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
      /** Error of strict field validation of the text; thrown if the patch is valid otherwise. */
      readonly validationError?: Error;
    };

export interface DeleteOptions {
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly gracePeriodSeconds?: Int64;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

/**
 * A client of the API: in process over the pipeline, or remote over HTTP. Returned objects are shared and must not be changed; copy one
 * (`cloneJson`) first. Errors are StatusError (apimachinery/errors/status).
 *
 * The name of a read tells how fresh its answer is:
 * - `get` and `list` answer with the newest state in the store, or with one that is at least as new as a given resourceVersion. `find`
 *   (`client/find.ts`) is `get` that answers undefined for an object that does not exist.
 * - `getRecent`, `findRecent` and `listRecent` (`client/recent.ts`) answer from memory, which may be behind the store; what memory lacks is read
 *   from the store.
 * - `getCached` and `listCached` answer at once from memory only; undefined says nothing about the store.
 * An informer answers from its mirror, which is as new as the last event of its watch.
 */
export interface Client {
  get(
    resource: GroupVersionResource,
    key: ObjectKey,
    options?: { readonly resourceVersion?: string; readonly subresource?: string },
  ): Promise<KubeObject>;
  list(resource: GroupVersionResource, query?: ListQuery): Promise<KubeList>;
  /** Ends when the signal aborts or the server ends the watch; throws a StatusError 410 if the resourceVersion is too old. */
  watch(resource: GroupVersionResource, query: WatchQuery, signal: AbortSignal): AsyncIterable<WatchEvent>;
  create(
    resource: GroupVersionResource,
    object: KubeObject,
    options?: WriteOptions & { readonly name?: string },
  ): Promise<KubeObject>;
  update(resource: GroupVersionResource, object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  patch(resource: GroupVersionResource, key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<KubeObject>;
  /** Deletes the object. Finalizers or a grace period may keep it for some time. */
  delete(resource: GroupVersionResource, key: ObjectKey, options?: DeleteOptions): Promise<void>;
  deleteCollection(resource: GroupVersionResource, query?: ListQuery, options?: DeleteOptions): Promise<void>;
  readonly mapper: ResourceMapper;
  /** Present on an in-process client: lists and watches of objects that are parsed on first use. */
  readonly cached?: CachedReader;
}

/** The part of a client that mirrors use. as client-go tools/cache ListerWatcher */
export type ListerWatcher = Pick<Client, 'list' | 'watch' | 'cached'>;

/** A property of an object that can be searched for in its bytes. */
export type ByteProbe =
  /** A field of its metadata. */
  | { readonly metadata: 'ownerReferences' | 'deletionTimestamp' }
  /** A substring of a value, of letters that JSON does not escape; not the name of a field. */
  | { readonly text: string };

/** The part of the metadata that garbage collection needs. */
export type OwnerMeta = Pick<ObjectMeta, 'uid' | 'ownerReferences' | 'finalizers' | 'deletionTimestamp'>;

/** An object in a cache; it is shared and must not be changed. */
export interface CachedObject<T = KubeObject> {
  /** Differs between two states of an object. */
  readonly revision: string | number;
  /** Parses the object on first use. The parsed object is kept for as long as it is referenced. */
  readonly object: T;
  /** Its labels, without parsing the rest of it; absent if they cannot be read apart. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Its generation, 0 if it has none, without parsing the rest of it; absent if it cannot be read apart. */
  readonly generation?: number;
  /** Its uid, owners and deletion, without parsing the rest of it; absent if they cannot be read apart. */
  readonly ownerMeta?: OwnerMeta;
  /** Memory that the object takes in the mirror, in bytes; absent if it shares the memory of another cache. */
  readonly size?: number;
  /** Returns false if the object surely does not have the property, without parsing it. Absent if the bytes cannot be searched. */
  mightContain?(probe: ByteProbe): boolean;
}

/** An object with its key: `namespace/name`, or `name` for a cluster-scoped object. */
export interface CachedItem {
  readonly key: string;
  readonly cached: CachedObject;
}

export type CachedEvent =
  | (CachedItem & { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly resourceVersion: string })
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

export interface CachedReader {
  /** Lists objects. `take` is called with the bytes of each object as it arrives, and throws when the memory limit of the mirrors is exceeded. */
  list(
    resource: GroupVersionResource,
    query?: ListQuery,
    take?: (bytes: number) => void,
  ): Promise<{ readonly resourceVersion: string; readonly items: readonly CachedItem[] }>;
  /** Watches as `Client.watch` does. */
  watch(resource: GroupVersionResource, query: WatchQuery, signal: AbortSignal): AsyncIterable<CachedEvent>;
  /** Returns an object from memory; undefined if it is not there, which does not mean that it does not exist. */
  getCached(resource: GroupVersionResource, key: ObjectKey): CachedObject | undefined;
  /** Returns the objects of a namespace ('' for all) from memory, sorted by name; undefined if they are not in memory. */
  listCached(resource: GroupVersionResource, namespace: string): readonly CachedObject[] | undefined;
  /**
   * Resolves with true if the discovery of the server is without the resource. Rejects if the discovery cannot be read. Absent: a 404 says that the
   * resource is not served.
   */
  lacks?(resource: GroupVersionResource): Promise<boolean>;
}

/** The resources that a server serves, with the mapping from kind to resource. */
export interface ResourceMapper {
  /** Returns all served resources without subresources. A remote client caches the result of discovery until `refresh`. */
  resources(): Promise<readonly MappedResource[]>;
  forKind(kind: GroupVersionKind): Promise<MappedResource | undefined>;
  refresh(): Promise<unknown>;
  /** Returns the group versions of other API servers that cannot be read now, as `example.com/v1`. Absent: there are none. */
  failed?(): readonly string[];
  /**
   * Calls the listener when the resources of other API servers, or `failed`, have changed. Returns a function that removes it. Absent: there are no
   * other servers.
   */
  onChange?(listener: () => void): () => void;
}

export interface MappedResource extends GroupVersionResource {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
  /** Another API server behind this one serves the resource. It may be slow, or not answer. */
  readonly isAggregated?: true;
}
