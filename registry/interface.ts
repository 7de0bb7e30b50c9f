/**
 * What a resource is (`ResourceDefinition`), and the catalogue of all that are served. How objects are read and written: `Client` in
 * `client/interface.ts` and `Pipeline` in `registry/pipeline/interface.ts`.
 * Native kinds, CRDs and Karmada's kinds are all definitions; nothing above this folder knows a kind by name.
 */
import type {
  Fault,
  GroupVersionKind,
  GroupVersionResource,
  KubeObject,
  ManagedFieldsEntry,
} from '../apimachinery/interface.js';
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
  readonly resetFields?: readonly ResetPath[];
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
export type ResetPath = string;

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
  readonly resetFields: readonly ResetPath[];
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
      readonly resetFields: readonly ResetPath[];
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

export type { ManagedFieldsEntry };
