/**
 * What a module of a native kind says. Names, verbs, scope, versions, schemas and which subresources exist are facts (`openapi/facts`);
 * a kind's own module holds everything else, and leaves out what is as for most kinds.
 */
import type { KubeObject } from '../../apimachinery/interface.js';
import type {
  Printer,
  ResourceDefinition,
  Strategy,
  Subresource,
  VersionDefinition,
} from '../../registry/interface.js';

export interface NativeKind {
  /** '' for the core group. */
  readonly group: string;
  readonly kind: string;
  /** Where its objects lie in the store; absent: `/registry/PLURAL`. */
  readonly storagePrefix?: string;
  /** Absent: the most preferred served version. */
  readonly storageVersion?: string;
  /** Absent: Name and Created At. The same columns for every version, of objects in the storage version. */
  readonly printer?: Printer;
  /** Besides metadata.name and metadata.namespace, of objects in the storage version. */
  readonly selectableFields?: VersionDefinition['selectableFields'];
  readonly indexedFields?: NonNullable<ResourceDefinition['indexedFields']>;
  /** Version -> the Warning that goes with its requests. */
  readonly deprecations?: Readonly<Record<string, string>>;
  /** Absent: a kind without status, generation or rules of its own. */
  readonly strategy?: Strategy;
  /** By name. Those of the facts that a kind does not describe follow `subresources.ts`: status, scale and connects have a general form. */
  readonly subresources?: Readonly<Record<string, Subresource>>;
  readonly defaults?: NonNullable<ResourceDefinition['defaults']>;
  readonly readStored?: NonNullable<ResourceDefinition['readStored']>;
  readonly writeStored?: NonNullable<ResourceDefinition['writeStored']>;
  /** As a definition's, at once. */
  readonly convert?: (object: KubeObject, toVersion: string, toGroup?: string) => KubeObject;
  readonly fieldAnnotations?: readonly string[];
  readonly review?: NonNullable<ResourceDefinition['review']>;
  readonly ttlSeconds?: NonNullable<ResourceDefinition['ttlSeconds']>;
}
