/**
 * The definition of a resource (`ResourceDefinition`), and the catalogue of all served ones. Objects are read and written with `Client`
 * in `client/interface.ts` and `Pipeline` in `registry/pipeline/interface.ts`.
 * Native kinds, CRDs and Karmada's kinds are all definitions; the layers above do not depend on any kind by name.
 */
import type { Fault, GroupVersionKind, GroupVersionResource, KubeObject } from '../apimachinery/interface.js';
import type { Int64 } from '../lib/json/json.js';
import type { Maybe } from '../lib/maybe.js';
import type { Floats } from '../apimachinery/codec/floats.js';
import type { Identity } from '../apimachinery/identity.js';
import type { Client } from '../client/interface.js';
import type { PublishedResource } from '../openapi/publish/interface.js';
import type { Schema } from '../apimachinery/codec/interface.js';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

// ---------------------------------------------------------------------------------------------- what a resource is

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  /** 0 if always shown; larger if shown only with `-o wide`. */
  readonly priority?: number;
}

export type Cell = string | Int64 | boolean | null;

/** The server-side Table of a kind, for `kubectl get`. Rows are pure in (object, now). */
export interface Printer {
  readonly columns: readonly Column[];
  row(object: KubeObject, now: Date): readonly Cell[];
  /** Returns the conditions of a row, such as that its pod has completed. */
  conditions?(object: KubeObject): readonly RowCondition[];
  /** Order of the rows of a list; absent for the order of the list. */
  readonly order?: (a: KubeObject, b: KubeObject) => number;
}

// as apimachinery/pkg/apis/meta/v1 TableRowCondition
interface RowCondition {
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
  /** Field selectors besides metadata.name and metadata.namespace: label -> value ('' if unset). */
  readonly selectableFields: Readonly<Record<string, (object: KubeObject) => string>>;
  /** Sent as a Warning with every request to the version. */
  readonly deprecation?: string;
  /** Subresources of the version, if versions differ; absent for those of the definition. */
  readonly subresources?: Readonly<Record<string, Subresource>>;
  /** Reset fields of the version; absent for those of the strategy. */
  readonly resetFields?: readonly ResetPath[];
}

/** The input of the rules of a strategy besides the objects. */
export interface StrategyContext {
  readonly user: Identity;
  readonly operation: 'create' | 'update' | 'delete';
  readonly namespace: string;
  readonly subresource: string;
  /** The version of the request. */
  readonly version: string;
  readonly dryRun: boolean;
  /** Paths of integral floats of a custom resource, which Go treats as floats until the object is stored. */
  readonly floats?: Floats | undefined;
  /** Whether the object may be large, so that work on all of its values is divided into steps. */
  readonly isLarge?: boolean;
  readonly now: Date;
  readonly warn: (text: string) => void;
}

/**
 * Changes the draft of the request in place. `old` is shared and must not be changed; it is undefined on create. Returns a promise only for a large object,
 * with which it takes several turns of the event loop.
 */
export type Prepare = (draft: KubeObject, old: KubeObject | undefined, context: StrategyContext) => Maybe<void>;
export type Validate = (object: KubeObject, old: KubeObject | undefined, context: StrategyContext) => readonly Fault[];
/** A validation that may take long and yields to the event loop. `found` holds the faults of the other rules. */
export type LongValidate = (
  found: readonly Fault[],
  object: KubeObject,
  old: KubeObject | undefined,
  context: StrategyContext,
) => Maybe<readonly Fault[]>;
/** A dotted path that an endpoint resets, so that field managers never own it there: `status`, `metadata.finalizers`. */
export type ResetPath = string;

/** The rules of a kind, as lists of pure functions over the storage version. Lists are reused by spreading. */
export interface Strategy {
  /** Returns the faults of a name; of a generateName if `prefix`. */
  readonly nameFaults: (name: string, prefix: boolean) => readonly string[];
  readonly prepareCreate: readonly Prepare[];
  readonly prepareUpdate: readonly Prepare[];
  readonly validateCreate: readonly Validate[];
  readonly validateUpdate: readonly Validate[];
  /** Runs after validateCreate and validateUpdate, and gets their faults. */
  readonly validateLong?: LongValidate;
  /** Runs after validation and before validating admission. */
  readonly canonicalize: readonly Prepare[];
  readonly warnings: readonly ((object: KubeObject, old: KubeObject | undefined) => readonly string[])[];
  /** A PUT of a name that does not exist creates the object. */
  readonly createOnUpdate: boolean;
  /** A PUT without resourceVersion is allowed. */
  readonly unconditionalUpdate: boolean;
  /** Default propagation policy of deletions; 'Unsupported' if policies have no effect (events). */
  readonly defaultPropagation: 'Background' | 'Orphan' | 'Unsupported';
  /** Warning of a deletion without policy. */
  readonly deleteWarning?: string;
  /** Returns why the object with this name cannot be deleted by itself; deletecollection does delete it. */
  readonly undeletable?: (name: string) => string | undefined;
  /** An immediate deletion returns the object instead of a Success Status. */
  readonly returnsDeleted: boolean;
  /** Returns the grace period of an object in seconds; absent if the kind has no graceful deletion. */
  readonly gracePeriod?: (object: KubeObject, requested: Int64 | undefined) => Int64;
  /**
   * For kinds whose first deletion only marks them (namespaces, CRDs): changes the draft (phase, conditions) in addition to
   * deletionTimestamp. The draft shares all but its metadata with the stored object, so that other parts are replaced, not changed.
   * Absent if an object without finalizers is removed at once.
   */
  readonly terminate?: (draft: KubeObject, object: KubeObject, context: StrategyContext) => void;
  /** Reports whether something besides metadata.finalizers blocks the deletion of a terminating object (namespaces: spec.finalizers). */
  readonly blocksDeletion?: (object: KubeObject) => boolean;
  /**
   * Reserves resources outside of the object that a write needs (the addresses of services), and sets them in the draft, before the
   * object is prepared. The returned function commits or releases the reservation. Throws StatusError.
   */
  readonly begin?: ((draft: KubeObject, old: KubeObject | undefined, call: ActionCall) => Promise<Settle>) | undefined;
  /** Called after an object was removed from the store. */
  readonly afterDelete?: (object: KubeObject, call: ActionCall) => Promise<void>;
  readonly resetFields: readonly ResetPath[];
  /**
   * The pipeline validates the metadata of an update both as a new object's and as a change. Most kinds upstream repeat these checks; this
   * lists the repeated ones (absent for the change), since each repetition adds its faults to the causes.
   */
  readonly metadataRepeats?: readonly MetadataCheck[];
  /** The metadata of a new object is validated only if the rules find no fault; absent if it is validated before, together with them. */
  readonly metadataLast?: boolean;
  /** Whether finalizers that are neither standard nor qualified (`example.com/x`) are refused (absent), allowed, or cause a warning. */
  readonly plainFinalizers?: 'refuse' | 'allow' | 'warn';
}

export type MetadataCheck = 'whole' | 'change';

/** Commits or releases the reservation of `begin`; `written`: the object has been stored. */
export type Settle = (written: boolean) => Promise<void>;

export type Subresource =
  /** The object itself, with other rules: `status`, `finalize`, `approval`, `ephemeralcontainers`. */
  | {
      readonly type: 'part';
      readonly verbs: readonly Verb[];
      readonly prepareUpdate: readonly Prepare[];
      readonly validateUpdate: readonly Validate[];
      readonly resetFields: readonly ResetPath[];
      /** `begin`, `validateLong` and `metadataRepeats` are as in Strategy. */
      readonly begin?: Strategy['begin'];
      readonly validateLong?: LongValidate;
      readonly metadataRepeats?: Strategy['metadataRepeats'];
    }
  /** The object as an autoscaling/v1 Scale. Paths are simple JSON paths (`.spec.replicas`). */
  | {
      readonly type: 'scale';
      readonly verbs: readonly Verb[];
      readonly specReplicas: string;
      readonly statusReplicas: string;
      readonly selector: string | undefined;
      readonly printer: Printer;
    }
  /** A create with an action of its own: `pods/binding`, `pods/eviction`, `serviceaccounts/token`. */
  | {
      readonly type: 'action';
      readonly verbs: readonly Verb[];
      readonly kind: GroupVersionKind;
      act(call: ActionCall, name: string, body: KubeObject): Promise<KubeObject>;
      /**
       * Rules for the write of the action itself: an update of this subresource, which clients cannot send, and which has no admission
       * and no field manager.
       */
      readonly rules?: Omit<Extract<Subresource, { type: 'part' }>, 'type' | 'verbs'>;
    }
  /** A path that is forwarded, including streams and upgrades: `clusters/proxy`, `pods/exec`. Served by aggregation. */
  | { readonly type: 'connect'; readonly verbs: readonly Verb[]; readonly kind: GroupVersionKind };

export interface ActionCall {
  readonly user: Identity;
  /** The verb of the request as authorized: `patch` differs from `update`. */
  readonly verb: string;
  readonly namespace: string;
  readonly dryRun: boolean;
  readonly client: Client;
  warn(text: string): void;
}

/** The definition of a kind: its published facts (PublishedResource), and how it is stored, validated and written. */
export interface ResourceDefinition extends PublishedResource {
  /** Versions in order of preference. Objects are stored in `storageVersion`, in which rules see them, too, unless `rulesVersion` is set. */
  readonly versions: readonly VersionDefinition[];
  /** `/registry/deployments`; keys are `PREFIX/NAMESPACE/NAME` or `PREFIX/NAME`. */
  readonly storagePrefix: string;
  readonly ttlSeconds?: (object: KubeObject) => number;
  /** Milliseconds for which an update may wait for other writes, so that an access to the disk serves several. Absent: it does not wait. */
  readonly updateDelayMs?: number;
  /** Selectable fields with an index. */
  readonly indexedFields?: readonly string[];
  readonly verbs: readonly Verb[];
  /** Verbs in discovery, if fewer (custom resources whose definition is being deleted). */
  readonly discoveredVerbs?: readonly Verb[];
  readonly strategy: Strategy;
  readonly subresources: Readonly<Record<string, Subresource>>;
  /**
   * Converts an object to another version of `versions`; absent if only apiVersion differs. Must not change its input. `toGroup` is the
   * group to convert to, if the storage is of another group.
   */
  readonly convert?: (object: KubeObject, toVersion: string, toGroup?: string) => Maybe<KubeObject>;
  /** Converts several objects with one call of the webhook; absent if they are converted one by one. */
  readonly convertAll?: (objects: readonly KubeObject[], toVersion: string) => Promise<readonly KubeObject[]>;
  /**
   * Rules and admission see objects in the version of the request (custom resources); absent for the storage version.
   */
  readonly rulesVersion?: 'requested';
  /** Objects may be stored in versions other than `storageVersion`, and must be converted when they are read. */
  readonly mixedStorage?: boolean;
  /** Converts an object that another server has stored in a version that is not served any more. Must not change its input. */
  readonly readStored?: (object: KubeObject) => KubeObject;
  /** The inverse of `readStored`, for a store that other servers read. Must not change its input. */
  readonly writeStored?: (object: KubeObject) => KubeObject;
  /** Sets defaults in place after decoding, in the version of the request, in addition to schema defaults. */
  readonly defaults?: (draft: KubeObject, version: string) => void;
  /** Annotations that hold fields of the kind; they are left out of PartialObjectMetadata. */
  readonly fieldAnnotations?: readonly string[];
  /** Handles a create that stores nothing, such as a review. */
  readonly review?: (call: ActionCall, object: KubeObject) => Promise<KubeObject>;
  readonly wire: WireTraits;
  /** Returns the time since when a custom kind is served, in milliseconds since the epoch. */
  readonly establishedAt?: () => number;
}

/** Differences between the JSON of native kinds and of custom resources. */
export interface WireTraits {
  /** 'declared': keys in schema order, zero values by `presence`; 'sorted': sorted keys, values as given. */
  readonly keys: 'declared' | 'sorted';
  /** Items of a list carry apiVersion and kind (custom resources). */
  readonly itemsCarryType: boolean;
  /** Strategic merge patches are supported (native kinds). */
  readonly strategicMerge: boolean;
  readonly protobuf: boolean;
  /** Empty lists are lost in the store, which is protobuf upstream: a list that is always written is read as null. */
  readonly bareStore?: boolean;
}

// ---------------------------------------------------------------------------------------------- the live catalogue

/** All definitions of a server. They change with CRDs. */
export interface Catalogue {
  find(resource: GroupVersionResource): ResourceDefinition | undefined;
  forKind(kind: GroupVersionKind): ResourceDefinition | undefined;
  all(): Iterable<ResourceDefinition>;
  /** Grows with every change, for caches of derived data (discovery, OpenAPI). */
  readonly generation: number;
  onChange(listener: () => void): () => void;
}
