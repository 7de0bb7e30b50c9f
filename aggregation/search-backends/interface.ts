/** The contract between backend stores and the mirrors whose objects they get. */
import type { KubeObject } from '../../apimachinery/interface.js';

/** An object of a source, which is parsed on first use. */
interface SourceObject {
  readonly uid: string;
  /** Its resourceVersion in the cluster. */
  readonly version: string;
  /** The object, with the annotation of its cluster. */
  readonly object: KubeObject;
}

/** The objects of one kind in one cluster that a backend store gets. */
export interface Source {
  readonly id: string;
  readonly cluster: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Reports whether objects of a namespace ('' for none) belong to the source. */
  includes(namespace: string): boolean;
  /** Returns the present object; undefined if there is none. */
  get(key: string): SourceObject | undefined;
  keys(): Iterable<string>;
  /** Resolves when the objects are known, or when the source stops before. */
  readonly synced: Promise<void>;
  /** Whether the objects are known. */
  readonly hasSynced: boolean;
  /** Calls the listener for changes from now on, with the uids of the object before and after. Returns a function to unsubscribe. */
  onChange(
    listener: (key: string, uids: readonly [before: string | undefined, after: string | undefined]) => void,
  ): () => void;
}

/** Where and how a backend store is reached. */
export interface OpenSearchSettings {
  readonly addresses: readonly string[];
  readonly username: string;
  readonly password: string;
  /** The authority of its certificate in PEM; '' for those of the system. */
  readonly ca: string;
}
