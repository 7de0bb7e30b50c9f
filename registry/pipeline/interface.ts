/**
 * The pipeline of all reads and writes, with one file per verb. HTTP handlers and the in-process client both call it with a RequestScope;
 * both get the same stored value, of which HTTP sends the bytes, and the client uses the object.
 */
import type { KubeObject, ListMeta } from '../../apimachinery/interface.js';
import type { Floats } from '../../apimachinery/codec/floats.js';
import type { Revision } from '../../storage/interface.js';
import type { WatchStream } from '../../storage/watch-stream.js';
import type { DeleteOptions, ListQuery, ByteProbe, Patch, WatchQuery } from '../../client/interface.js';
import type { Identity } from '../../apimachinery/identity.js';
import type { ResourceDefinition, VersionDefinition } from '../interface.js';
import type { Maybe } from '../../lib/maybe.js';

/**
 * An object in the watch cache, in the storage version. `json` is what clients receive, with resourceVersion. For kinds whose list items do not
 * contain their type it begins with `{"kind":"K","apiVersion":"G/V",`, so that lists can leave out `typeLength` bytes after the brace.
 */
export interface Stored {
  readonly key: string;
  readonly revision: Revision;
  readonly json: Buffer;
  /** Length of `"kind":"K","apiVersion":"G/V",` after the opening brace; 0 if items carry their type. */
  readonly typeLength: number;
  /** The object, which is parsed on first use, shared, and must not be changed (it is frozen in tests). */
  readonly object: KubeObject;
  /** Approximate bytes in memory. If absent, they are few. */
  readonly heldBytes?: number;
  /** Whether the object is large and not decoded yet. If absent, there is nothing to decode. */
  readonly isUndecoded?: boolean;
  /**
   * Returns what to await before the first use of `json` or `object` of a large object, which decodes it in time slices; undefined if that takes no
   * longer at once. Rejects with 500 for bytes that are not an object.
   */
  decoding?(): Promise<void> | undefined;
  /** Returns the promise of `object` if it is large and neither decoded nor in memory; undefined if `object` is available in a short time. */
  loading?(): Promise<KubeObject> | undefined;
  /** Returns false if the object certainly does not match the probe; parses nothing. If absent, use the object. */
  mightContain?(probe: ByteProbe): boolean;
  /** Returns a copy of `json` between other bytes, which does not make it recently used. If absent, copy `json`. */
  between?(head: Buffer, tail: Buffer): Buffer;
}

/** One request to one resource. */
export interface RequestScope {
  readonly user: Identity;
  readonly definition: ResourceDefinition;
  readonly version: VersionDefinition;
  readonly subresource: string;
  readonly namespace: string;
  readonly signal: AbortSignal;
  /** The field manager of this write: the fieldManager parameter, or the user agent up to its first slash. */
  readonly fieldManager: string;
  /** Bytes of the request's body, or of the object if that is larger (`noteSize`). */
  bodyBytes?: number;
  /** Authorizes another verb on the same object, for create on update and apply. Rejects with Forbidden. */
  readonly authorize: (verb: string) => Promise<void>;
  warn(text: string): void;
  /** Adds an annotation to the audit event, with a key like `DOMAIN/NAME`; the first value of a key stays. */
  annotate(key: string, value: string): void;
  /** Records that the request waited for a webhook. */
  waited?(milliseconds: number): void;
}

/** The objects of a resource in one version, in one namespace or in all (''). */
export type ResourceScope = Pick<RequestScope, 'definition' | 'version' | 'namespace'>;

/** A single object as an answer: the stored bytes if they can be used unchanged, otherwise an object (other version, dry run, Scale). */
export type ObjectAnswer = { readonly stored: Stored } | { readonly object: KubeObject };

export interface ListAnswer {
  readonly metadata: ListMeta;
  readonly items: readonly Stored[];
  /** The items in the requested version, if a conversion has made them beforehand. Otherwise `convert` returns them. */
  readonly views?: readonly KubeObject[];
}

export type ObjectEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly stored: Stored; readonly revision: Revision }
  | {
      readonly type: 'BOOKMARK';
      /** A text for a watch of several clusters, which has one revision of each. */
      readonly revision: Revision | string;
      /** The bookmark has the annotation k8s.io/initial-events-end. */
      readonly initialEventsEnd: boolean;
    };

export type Events = WatchStream<ObjectEvent>;

export interface WriteParameters {
  readonly dryRun: boolean;
  readonly options: Readonly<Record<string, unknown>>;
  /** Paths of integral floats of a custom resource. */
  readonly floats?: Floats | undefined;
  /** The spec of the stored object, in an update of the status that does not change it; the spec of the object is empty then. */
  readonly unchangedSpec?: unknown;
}

/**
 * The verbs. Objects must be decoded (in the form of their type, by `canonical` or `coerceObject`; `decodeLoose` does it for objects that are
 * not text) and in the requested version, and callers must not use them afterwards. The pipeline does defaults, field ownership, admission,
 * rules and conversion. Refusals are StatusErrors.
 */
export interface Pipeline {
  get(call: RequestScope, name: string, resourceVersion?: string): Promise<ObjectAnswer>;
  list(call: RequestScope, query: ListQuery): Promise<ListAnswer>;
  /**
   * Throws for invalid parameters; the stream throws later errors (410). Without `timeoutSeconds` it never ends by itself. The caller must
   * take all events until the end, or close the stream.
   */
  watch(call: RequestScope, query: WatchQuery): Events;
  /** `name` is that of the path, for actions and other paths with a name. Reviews and actions are answered with their results. */
  create(call: RequestScope, object: KubeObject, write: WriteParameters, name?: string): Promise<ObjectAnswer>;
  /** `created` is true if a PUT or an apply has created the object (201). */
  update(
    call: RequestScope,
    name: string,
    object: KubeObject,
    write: WriteParameters,
  ): Promise<{ answer: ObjectAnswer; created: boolean }>;
  patch(
    call: RequestScope,
    name: string,
    patch: Patch,
    write: PatchParameters,
  ): Promise<{ answer: ObjectAnswer; created: boolean }>;
  /**
   * `removed` is true if the object was removed immediately, and the answer is its last state or a Success Status, depending on the kind.
   * Otherwise the object is terminating, and is the answer.
   */
  delete(
    call: RequestScope,
    name: string,
    options: DeleteOptions,
    write: WriteParameters,
  ): Promise<{ answer: ObjectAnswer; removed: boolean }>;
  deleteCollection(
    call: RequestScope,
    query: ListQuery,
    options: DeleteOptions,
    write: WriteParameters,
  ): Promise<ListAnswer>;
  /** Runs admission before a connection to an object (`pods/exec`). `options` has the kind of the subresource. */
  connect(call: RequestScope, name: string, options: KubeObject): Promise<void>;
  /** `get` and `list` from memory, without waiting; undefined if `get` or `list` is needed. Throws for invalid names. */
  getCached(scope: ResourceScope, name: string): Stored | undefined;
  listCached(scope: ResourceScope): readonly Stored[] | undefined;
  /** Returns the shared stored object if it has the requested version and has been parsed already. */
  getParsed(scope: ResourceScope, name: string): KubeObject | undefined;
  /** Returns a stored object in the requested version. */
  convert(call: RequestScope, stored: Stored): Maybe<KubeObject>;
}

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export type PatchParameters = WriteParameters & { readonly fieldValidation: FieldValidation };
