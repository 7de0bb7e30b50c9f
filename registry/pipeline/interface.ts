/**
 * One file per verb. HTTP handlers and the in-process client both enter here, with a Call that says who, what and where;
 * both get the same stored value, of which the one takes the bytes and the other the object.
 */
import type { GroupVersionKind, KubeObject, ListMeta } from '../../apimachinery/interface.js';
import type { Floats } from '../../apimachinery/codec/floats.js';
import type { Revision } from '../../storage/interface.js';
import type { WatchStream } from '../../storage/watch-stream.js';
import type { DeleteOptions, ListQuery, ByteProbe, Patch, WatchQuery } from '../../client/interface.js';
import type { Identity } from '../../apimachinery/identity.js';
import type { ResourceDefinition, VersionDefinition } from '../interface.js';

/**
 * What the watch cache holds of an object, in the storage version. `json` is what clients receive, resourceVersion included, written
 * once: `{"kind":"K","apiVersion":"G/V",` stands first for kinds whose list items leave it out, `typeLength` bytes after the brace.
 */
export interface Stored {
  readonly key: string;
  readonly revision: Revision;
  readonly json: Buffer;
  /** Length of `"kind":"K","apiVersion":"G/V",` after the opening brace; 0 when items carry their type. */
  readonly typeLength: number;
  /** Parsed when first asked for, shared, frozen in tests, never changed. */
  readonly object: KubeObject;
  /** False when the object surely does not have it; nothing is parsed for it. Absent: look at the object. */
  mightContain?(mark: ByteProbe): boolean;
  /** A copy of `json` between other bytes, which does not make it recently used. Absent: copy `json`. */
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
  /** Name of the manager that owns what this call writes (field manager parameter, else the user agent up to its first slash). */
  readonly fieldManager: string;
  /** Bytes of the request's body, or of the object that the request is about once that has proved to be larger (`noteSize`). */
  bodyBytes?: number;
  /** May the user also do this? For create on update and apply. Rejects with Forbidden. */
  readonly authorize: (verb: string) => Promise<void>;
  warn(text: string): void;
  /** A fact for the audit event of the request, by a key like `DOMAIN/NAME`; the first value of a key stays. */
  annotate(key: string, value: string): void;
  /** The request waited so many milliseconds for somebody else: a webhook. */
  waited?(milliseconds: number): void;
}

/** A single object as an answer: stored bytes where they can be used as they are, an object otherwise (other version, dry run, Scale). */
export type Answer = { readonly stored: Stored } | { readonly object: KubeObject };

export interface ListAnswer {
  readonly metadata: ListMeta;
  readonly items: readonly Stored[];
}

export type Event =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly stored: Stored; readonly revision: Revision }
  | {
      readonly type: 'BOOKMARK';
      readonly revision: Revision /** carries the annotation k8s.io/initial-events-end */;
      readonly initialEventsEnd: boolean;
    };

export type Events = WatchStream<Event>;

export interface WriteParameters {
  readonly dryRun: boolean;
  readonly options: Readonly<Record<string, unknown>>;
  /** Where whole numbers of a custom resource were written as floats. */
  readonly floats?: Floats | undefined;
  /** Of the update of a status: the spec, which is that of the stored object itself; the object comes with an empty one. */
  readonly standingSpec?: unknown;
}

/**
 * What the verbs expect of whoever enters: objects are decoded (in the form of their type, `canonical` or `coerceObject`; `decodeLoose` does
 * it for objects that are not text) and of the call's version, and belong to the pipeline from then on. Defaults, field ownership,
 * admission, rules and conversion are the pipeline's. Refusals are StatusErrors.
 */
export interface Pipeline {
  get(call: RequestScope, name: string, resourceVersion?: string): Promise<Answer>;
  list(call: RequestScope, query: ListQuery): Promise<ListAnswer>;
  /**
   * Throws at once for parameters that are wrong, before anything is sent; what is wrong later (410) is what the events end with. Without
   * `timeoutSeconds` it never ends by itself. The stream is the caller's, who takes until it ends, or closes it.
   */
  watch(call: RequestScope, query: WatchQuery): Events;
  /** With a `name` on actions and where the path has one. Reviews and actions answer with what they return. */
  create(call: RequestScope, object: KubeObject, write: WriteParameters, name?: string): Promise<Answer>;
  /** `created` when a PUT or an apply made the object (201). */
  update(
    call: RequestScope,
    name: string,
    object: KubeObject,
    write: WriteParameters,
  ): Promise<{ answer: Answer; created: boolean }>;
  patch(
    call: RequestScope,
    name: string,
    patch: Patch,
    write: PatchParameters,
  ): Promise<{ answer: Answer; created: boolean }>;
  /**
   * `removed`: gone at once, and the answer is the last state or a Success Status, as the kind has it; otherwise it is terminating and
   * the answer shows it.
   */
  delete(
    call: RequestScope,
    name: string,
    options: DeleteOptions,
    write: WriteParameters,
  ): Promise<{ answer: Answer; removed: boolean }>;
  deleteCollection(
    call: RequestScope,
    query: ListQuery,
    options: DeleteOptions,
    write: WriteParameters,
  ): Promise<ListAnswer>;
  /** Before an object is connected to (`pods/exec`): admission judges. `options`: of the kind of the subresource. */
  connect(call: RequestScope, name: string, options: KubeObject): Promise<void>;
  /** `get` and `list` of what memory holds at the moment; undefined: ask for it. Throws for names that cannot be. */
  getCached(place: Pick<RequestScope, 'definition' | 'version' | 'namespace'>, name: string): Stored | undefined;
  listCached(place: Pick<RequestScope, 'definition' | 'version' | 'namespace'>): readonly Stored[] | undefined;
  /** The stored object itself, where it is of the version that is spoken and somebody has read it already. */
  getParsed(place: Pick<RequestScope, 'definition' | 'version' | 'namespace'>, name: string): KubeObject | undefined;
  /** Of the version that the call speaks: converts when it is not the storage version. */
  convert(call: RequestScope, stored: Stored): KubeObject | Promise<KubeObject>;
}

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export type PatchParameters = WriteParameters & { readonly fieldValidation: FieldValidation };
export type { GroupVersionKind };
