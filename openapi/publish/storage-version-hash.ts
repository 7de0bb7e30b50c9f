import { createHash } from 'node:crypto';
import { nativeResources } from '../facts/resources.js';
import type { GroupVersionKind } from '../../apimachinery/interface.js';
import type { ServedResource } from './group-versions.js';

let native: Map<string, GroupVersionKind | undefined> | undefined;

/** Returns the stored kind of a native resource, with kind undefined if it is not stored; undefined for other resources. */
function nativeStorage({ resource, version }: ServedResource): { kind: GroupVersionKind | undefined } | undefined {
  native ??= new Map(nativeResources().map(r => [`${r.group}/${r.version}/${r.plural}`, r.storage]));
  const id = `${resource.group}/${version.name}/${resource.plural}`;
  return native.has(id) ? { kind: native.get(id) } : undefined;
}

/** Returns the stored kind; undefined if the resource is not stored, or if the storage version of a custom resource is not served. */
function storageKind(served: ServedResource): GroupVersionKind | undefined {
  const known = nativeStorage(served);
  if (known) return known.kind;
  const { resource } = served;
  const stored = resource.versions.find(v => v.name === resource.storageVersion);
  if (!stored?.served || !resource.verbs.includes('get')) return undefined;
  // What can be listed and not watched is computed for each request.
  if (resource.verbs.includes('list') && !resource.verbs.includes('watch')) return undefined;
  return { group: resource.storageGroup ?? resource.group, version: stored.name, kind: resource.kind };
}

/** Returns the `storageVersionHash` of discovery: base64 of the first 8 bytes of SHA-256 of `group/version/kind`. */
// as apiserver/pkg/endpoints/discovery StorageVersionHash
export function storageVersionHash(served: ServedResource): string | undefined {
  const stored = storageKind(served);
  if (!stored) return undefined;
  const digest = createHash('sha256').update(`${stored.group}/${stored.version}/${stored.kind}`).digest();
  return digest.subarray(0, 8).toString('base64');
}
