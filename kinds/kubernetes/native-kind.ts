/**
 * What the module of a native kind defines. Names, verbs, scope, versions, schemas and existing subresources are facts (`openapi/facts`); a
 * kind's own module has everything else, and leaves out what is the default for most kinds.
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
  /** The path of its objects in the store; default: `/registry/PLURAL`. */
  readonly storagePrefix?: string;
  /** Default: the most preferred served version. */
  readonly storageVersion?: string;
  /** Default: Name and Created At. The same columns for every version, for objects in the storage version. */
  readonly printer?: Printer;
  /** In addition to metadata.name and metadata.namespace; for objects in the storage version. */
  readonly selectableFields?: VersionDefinition['selectableFields'];
  readonly indexedFields?: NonNullable<ResourceDefinition['indexedFields']>;
  /** Version -> the Warning header for its requests. */
  readonly deprecations?: Readonly<Record<string, string>>;
  /** Default: a kind without status, generation or rules of its own. */
  readonly strategy?: Strategy;
  /**
   * By name. Subresources in the facts that a kind does not describe follow `subresources.ts`: status, scale and connects have a general form.
   */
  readonly subresources?: Readonly<Record<string, Subresource>>;
  readonly defaults?: NonNullable<ResourceDefinition['defaults']>;
  readonly readStored?: NonNullable<ResourceDefinition['readStored']>;
  readonly writeStored?: NonNullable<ResourceDefinition['writeStored']>;
  /** Like a definition's `convert`, but synchronous. */
  readonly convert?: (object: KubeObject, toVersion: string, toGroup?: string) => KubeObject;
  readonly fieldAnnotations?: readonly string[];
  readonly review?: NonNullable<ResourceDefinition['review']>;
  readonly ttlSeconds?: NonNullable<ResourceDefinition['ttlSeconds']>;
  readonly updateDelayMs?: number;
}
