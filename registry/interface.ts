/**
 * The one path: what a resource is (`ResourceDefinition`), and how it is read and written (`Client`, `Pipeline`).
 * Native kinds, CRDs and Karmada's kinds are all definitions; nothing above this folder knows a kind by name.
 */
import type {
  Fault,
  GroupVersionKind,
  GroupVersionResource,
  KubeList,
  KubeObject,
  ManagedFieldsEntry,
} from '../openapi/interface.js';
import type { Int64 } from '../openapi/meta/json.js';
import type { Maybe } from '../openapi/meta/maybe.js';
import type { Floats } from '../openapi/schema/floats.js';
import type { PublishedResource } from '../openapi/publish/interface.js';
import type { Schema } from '../openapi/schema/interface.js';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** Who makes a request, after authentication and impersonation. */
export interface Identity {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

// ---------------------------------------------------------------------------------------------- what a resource is

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  /** 0: always shown; above: only with `-o wide`. */
  readonly priority?: number;
}

export type Cell = string | Int64 | boolean | null;

/** How a kind is shown by `kubectl get` (server-side Table). Rows are pure in (object, now). */
export interface Printer {
  readonly columns: readonly Column[];
  row(object: KubeObject, now: Date): readonly Cell[];
  /** What is to be known about a row: that its pod has ended. */
  conditions?(object: KubeObject): readonly RowCondition[];
  /** In which order a list is shown; absent: that of the list. */
  order?(a: KubeObject, b: KubeObject): number;
}

// as apimachinery/pkg/apis/meta/v1 TableRowCondition
export interface RowCondition {
  readonly type: 'Completed';
  readonly status: 'True';
  readonly reason: string;
  readonly message: string;
}

export interface VersionDefinition {
  readonly name: string;
  readonly served: boolean;
  readonly schema: Schema;
  readonly printer: Printer;
  /** Field selectors besides metadata.name and metadata.namespace: label -> value ('' when unset). */
  readonly selectableFields: Readonly<Record<string, (object: KubeObject) => string>>;
  /** Sent as a Warning with every request to the version. */
  readonly deprecation?: string;
  /** Where versions differ in them; absent: those of the definition. */
  readonly subresources?: Readonly<Record<string, Subresource>>;
  /** Absent: those of the strategy. */
  readonly resetFields?: readonly FieldPath[];
}

/** What every rule of a strategy may look at besides the objects. */
export interface StrategyContext {
  readonly user: Identity;
  readonly operation: 'create' | 'update' | 'delete';
  readonly namespace: string;
  readonly subresource: string;
  /** The version the client spoke. */
  readonly version: string;
  readonly dryRun: boolean;
  /** Where whole numbers of a custom resource were written as floats, for which Go takes them until the object is stored. */
  readonly floats?: Floats | undefined;
  readonly now: Date;
  warn(text: string): void;
}

/** Changes the draft of this request in place; `old` is shared and stays as it is. Absent on create. */
export type Prepare = (draft: KubeObject, old: KubeObject | undefined, context: StrategyContext) => void;
export type Validate = (object: KubeObject, old: KubeObject | undefined, context: StrategyContext) => readonly Fault[];
/** As Validate, for what may take so long that the event loop serves others in between. `found`: the faults that are known. */
export type LongValidate = (
  found: readonly Fault[],
  object: KubeObject,
  old: KubeObject | undefined,
  context: StrategyContext,
) => Maybe<readonly Fault[]>;
/** A dotted path that an endpoint resets, so that its managers never own it: `status`, `metadata.finalizers`. */
export type FieldPath = string;

/** The rules of a kind, as lists of pure functions over the storage version. Reuse by spreading lists. */
export interface Strategy {
  /** What is wrong with a name; empty when nothing. `prefix`: a generateName. */
  readonly nameFaults: (name: string, prefix: boolean) => readonly string[];
  readonly prepareCreate: readonly Prepare[];
  readonly prepareUpdate: readonly Prepare[];
  readonly validateCreate: readonly Validate[];
  readonly validateUpdate: readonly Validate[];
  /** After the rules of validateCreate and validateUpdate, with what they find. */
  readonly validateLong?: LongValidate;
  /** After validation, before validating admission. */
  readonly canonicalize: readonly Prepare[];
  readonly warnings: readonly ((object: KubeObject, old: KubeObject | undefined) => readonly string[])[];
  /** A PUT of a missing name creates it. */
  readonly createOnUpdate: boolean;
  /** A PUT without resourceVersion is taken. */
  readonly unconditionalUpdate: boolean;
  /** The propagation policy when a deletion names none; 'Unsupported': policies do not count at all (events). */
  readonly defaultPropagation: 'Background' | 'Orphan' | 'Unsupported';
  /** The Warning of a deletion that names no policy. */
  readonly deleteWarning?: string;
  /** Why an object of this name is not deleted on its own; among a whole collection it is. */
  readonly undeletable?: (name: string) => string | undefined;
  /** An immediate deletion answers with the object instead of a Success Status. */
  readonly returnsDeleted: boolean;
  /** Seconds of grace for this object; absent: the kind has no graceful deletion. */
  readonly gracePeriod?: (object: KubeObject, requested: Int64 | undefined) => Int64;
  /**
   * Kinds whose first deletion only marks them (namespaces, CRDs): deletionTimestamp is set without grace seconds, and this changes
   * the draft further (phase, conditions). Absent: an object without finalizers is removed at once.
   */
  readonly terminate?: Prepare;
  /** More than metadata.finalizers keeps the terminating object (namespaces: spec.finalizers). */
  readonly held?: (object: KubeObject) => boolean;
  /**
   * Takes what a write needs from outside of its object (the addresses of services) and puts it into the draft, before the object is
   * prepared. Told how the write ended, what it returns keeps or gives back. Refuses with StatusErrors.
   */
  readonly begin?: ((draft: KubeObject, old: KubeObject | undefined, call: ActionCall) => Promise<Settle>) | undefined;
  /** Once an object is gone for good. */
  readonly removed?: (object: KubeObject, call: ActionCall) => Promise<void>;
  readonly resetFields: readonly FieldPath[];
  /**
   * The pipeline checks the metadata of an update as a new object's and as a change; most kinds upstream do so once more themselves: what
   * of it they check (absent: the change). A fault stands so often among the causes.
   */
  readonly metadataRepeats?: readonly MetadataCheck[];
  /** The metadata of a new object is looked at only when its rules find nothing; absent: before them, with what they find. */
  readonly metadataLast?: boolean;
  /** Finalizers that are neither standard nor have a path (`example.com/x`): refused (absent), allowed, or warned about. */
  readonly plainFinalizers?: 'refuse' | 'allow' | 'warn';
}

export type MetadataCheck = 'whole' | 'change';

/** Ends what `begin` began; `written`: the object has been stored. */
export type Settle = (written: boolean) => Promise<void>;

export type Subresource =
  /** Same object, other rules: `status`, `finalize`, `approval`, `ephemeralcontainers`. */
  | {
      readonly type: 'part';
      readonly verbs: readonly Verb[];
      readonly prepareUpdate: readonly Prepare[];
      readonly validateUpdate: readonly Validate[];
      readonly resetFields: readonly FieldPath[];
      /** These as the strategy's. */
      readonly begin?: Strategy['begin'];
      readonly validateLong?: LongValidate;
      readonly metadataRepeats?: Strategy['metadataRepeats'];
    }
  /** The object seen as an autoscaling/v1 Scale. Paths are simple JSON paths (`.spec.replicas`). */
  | {
      readonly type: 'scale';
      readonly verbs: readonly Verb[];
      readonly specReplicas: string;
      readonly statusReplicas: string;
      readonly selector: string | undefined;
      readonly printer: Printer;
    }
  /** A create that does something of its own: `pods/binding`, `pods/eviction`, `serviceaccounts/token`. */
  | {
      readonly type: 'action';
      readonly verbs: readonly Verb[];
      readonly kind: GroupVersionKind;
      act(call: ActionCall, name: string, body: KubeObject): Promise<KubeObject>;
      /**
       * How the action itself writes the object: as an update of this subresource, which nobody else may send, and which is neither
       * admitted nor owned by anyone.
       */
      readonly rules?: Omit<Extract<Subresource, { type: 'part' }>, 'type' | 'verbs'>;
    }
  /** A path that leads somewhere else, streams and upgrades included: `clusters/proxy`, `pods/exec`. Served by aggregation. */
  | { readonly type: 'connect'; readonly verbs: readonly Verb[]; readonly kind: GroupVersionKind };

export interface ActionCall {
  readonly user: Identity;
  /** What the user does, as it is authorized: a patch is no update. */
  readonly verb: string;
  readonly namespace: string;
  readonly dryRun: boolean;
  readonly client: Client;
  warn(text: string): void;
}

/** All that is known about a kind: what it tells about itself (PublishedResource), and how it is stored, judged and written. */
export interface ResourceDefinition extends PublishedResource {
  /** In order of preference. Storage speaks `storageVersion`, and so do the rules, unless `rules` says otherwise. */
  readonly versions: readonly VersionDefinition[];
  /** `/registry/deployments`; keys are `PREFIX/NAMESPACE/NAME` or `PREFIX/NAME`. */
  readonly storagePrefix: string;
  readonly ttlSeconds?: (object: KubeObject) => number;
  /** Selectable fields by whose value objects are found without looking at the others. */
  readonly indexedFields?: readonly string[];
  readonly verbs: readonly Verb[];
  /** What discovery says of them, where that is not all (custom resources whose definition is being deleted). */
  readonly discoveredVerbs?: readonly Verb[];
  readonly strategy: Strategy;
  readonly subresources: Readonly<Record<string, Subresource>>;
  /**
   * To another version of `versions`; absent: only apiVersion differs. Must not change its input. `toGroup` is given when the storage
   * is of another group: the group to convert to.
   */
  readonly convert?: (object: KubeObject, toVersion: string, toGroup?: string) => KubeObject | Promise<KubeObject>;
  /** Several objects at once: one call of somebody else's for all. Absent: one after the other. */
  readonly convertAll?: (objects: readonly KubeObject[], toVersion: string) => Promise<readonly KubeObject[]>;
  /**
   * The rules of the kind and admission see objects in the version of the request (custom resources). Absent: in the storage version.
   */
  readonly rules?: 'spoken';
  /** Objects may be stored in versions other than `storageVersion`, and have to be converted when they are read. */
  readonly mixedStorage?: boolean;
  /** What other servers store in a version that is not served any more, as one that is. Must not change its input. */
  readonly readStored?: (object: KubeObject) => KubeObject;
  /** The way back, for a store that other servers read: what they store in another version than the storage version. Must not change its input. */
  readonly writeStored?: (object: KubeObject) => KubeObject;
  /** Fills what an object leaves out, in place (after decoding, in the version it was written in). Schema defaults are applied besides. */
  readonly defaults?: (draft: KubeObject, version: string) => void;
  /** Annotations that carry fields of the kind: metadata that is shown without its object goes without them. */
  readonly fieldAnnotations?: readonly string[];
  /** A create that stores nothing: reviews. */
  readonly review?: (call: ActionCall, object: KubeObject) => Promise<KubeObject>;
  readonly wire: WireTraits;
  /** Of a custom kind: since when it is served, in milliseconds since the epoch. */
  readonly establishedAt?: () => number;
}

/** Where the JSON of native kinds and of custom resources differs. */
export interface WireTraits {
  /** 'declared': keys in schema order, zero values by `presence`; 'sorted': keys sorted, as given. */
  readonly keys: 'declared' | 'sorted';
  /** Items of a list carry apiVersion and kind (custom resources). */
  readonly itemsCarryType: boolean;
  /** 'reject': natives; unknown fields are dropped with a warning. 'prune': by structural schema. */
  readonly strategicMerge: boolean;
  readonly protobuf: boolean;
  /** Lists that hold nothing do not outlive the store, which is protobuf upstream: those always written come back as null. */
  readonly bareStore?: boolean;
}

// ---------------------------------------------------------------------------------------------- the live catalogue

/** All definitions of a server, changing as CRDs come and go. */
export interface Catalogue {
  find(resource: GroupVersionResource): ResourceDefinition | undefined;
  forKind(kind: GroupVersionKind): ResourceDefinition | undefined;
  all(): Iterable<ResourceDefinition>;
  /** Grows with every change; for caches of what is computed from the catalogue (discovery, OpenAPI). */
  readonly generation: number;
  onChange(listener: () => void): () => void;
}

// ---------------------------------------------------------------------------------------------- how it is used

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

/** `literals`: the patch was a text, and may hold Literals (`openapi/patch/literals.ts`). Without it, it is plain JSON. */
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
 * The API, as controllers see it: in process over the pipeline, remotely over HTTP. Objects handed out are shared and never changed
 * by anyone; whoever wants to change one copies it (`structuredClone`). Errors are StatusError (openapi/meta/status).
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
  /** Of a client in the process that holds the objects: the same lists and watches, of which nothing is parsed that nobody looks at. */
  readonly held?: HeldReader;
}

/** Something that an object may have and that can be looked for in its bytes. */
export type Mark =
  /** A field of its metadata. */
  | { readonly metadata: 'ownerReferences' | 'deletionTimestamp' }
  /** A part of a text in its data, of letters that JSON writes as they are; no name of a field. */
  | { readonly text: string };

/** An object where it is held, shared with everybody. */
export interface HeldObject {
  /** Differs between two states of an object. */
  readonly revision: string | number;
  /** May take parsing, which lasts as long as somebody uses the object. */
  readonly object: KubeObject;
  /** Bytes of memory that it takes here; absent: none of its own. */
  readonly size?: number;
  /** Found without parsing: false when the object surely does not have it. Absent: it is not known. */
  mayHave?(mark: Mark): boolean;
}

/** By the key `namespace/name`, or `name` of cluster-scoped objects. */
export interface HeldItem {
  readonly key: string;
  readonly held: HeldObject;
}

export type HeldEvent =
  | (HeldItem & { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly resourceVersion: string })
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

export interface HeldReader {
  /** `take` is told of the bytes of each object as it arrives, and throws when there is no room for it. */
  list(
    resource: GroupVersionResource,
    query?: ListQuery,
    take?: (bytes: number) => void,
  ): Promise<{ readonly resourceVersion: string; readonly items: readonly HeldItem[] }>;
  /** As `Client.watch`. */
  watch(resource: GroupVersionResource, query: WatchQuery, signal: AbortSignal): AsyncIterable<HeldEvent>;
  /** What is in memory now, at once. Undefined: nothing; whether there is something shows when it is asked for. */
  peek(resource: GroupVersionResource, key: ObjectKey): HeldObject | undefined;
  /** All in a namespace ('': in all), by name. */
  peekAll(resource: GroupVersionResource, namespace: string): readonly HeldObject[] | undefined;
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

export type { ManagedFieldsEntry };
