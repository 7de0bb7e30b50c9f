/** The fields of stored objects by which selectors select, and the cache is indexed. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { IndexFunction } from '../../../storage/cache/interface.js';
import type { ResourceDefinition, VersionDefinition } from '../../interface.js';
import type { StoredVersion } from './stored-version.js';

/** Returns the indexes of the cache of a resource. */
export function indexesOf({
  indexedFields = [],
  storageVersion,
  versions,
}: ResourceDefinition): Readonly<Record<string, IndexFunction<StoredVersion>>> {
  const version = versions.find(({ name }) => name === storageVersion);
  if (!version) return {};
  return Object.fromEntries(
    indexedFields.map(field => [field, (stored: StoredVersion) => [fieldOf(stored, version, field)]] as const),
  );
}

/** Returns a field of the object as it is stored. hot: once per object of a list and per event of each watcher. */
export function fieldOf(stored: StoredVersion, version: VersionDefinition, field: string): string {
  const { key } = stored;
  const slash = key.lastIndexOf('/');
  if (field === 'metadata.name') return key.slice(slash + 1);
  const known = stored.memoized(object => valuesOf(object, version));
  const values = known.version === version ? known.values : valuesOf(stored.object, version).values;
  return values[field] ?? '';
}

interface FieldValues {
  readonly version: VersionDefinition;
  readonly values: Readonly<Record<string, string>>;
}

/** Returns the namespace, and the fields that the version has selectors for. */
export function valuesOf(object: KubeObject, version: VersionDefinition): FieldValues {
  const values: Record<string, string> = { 'metadata.namespace': object.metadata.namespace ?? '' };
  for (const field in version.selectableFields) values[field] = version.selectableFields[field]?.(object) ?? '';
  return { version, values };
}
