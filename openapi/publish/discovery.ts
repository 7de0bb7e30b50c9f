import type { GroupVersionKind, JsonObject } from '../../apimachinery/interface.js';
import { orderedGroups, type Group, type GroupVersionEntry, type ServedResource } from './group-versions.js';
import type { PublishedSubresource } from './interface.js';
import { storageVersionHash } from './storage-version-hash.js';

const customVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/** Returns the verbs of a resource: sorted, or in upstream's fixed order for custom resources. */
export function discoveredVerbs({ resource }: ServedResource): string[] {
  if (resource.wire.itemsCarryType)
    return customVerbs.filter(v => (resource.discoveredVerbs ?? resource.verbs).includes(v));
  return [...resource.verbs].sort();
}

export interface DiscoveredSubresource {
  readonly name: string;
  readonly type: PublishedSubresource['type'];
  readonly verbs: readonly string[];
  /** The kind of its requests and responses. */
  readonly kind: GroupVersionKind;
  /** Whether the kind is in another group-version than the resource. */
  readonly elsewhere: boolean;
}

const scale: GroupVersionKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

function kindOf(subresource: PublishedSubresource, { resource, version }: ServedResource): GroupVersionKind {
  if (subresource.type === 'part') return { group: resource.group, version: version.name, kind: resource.kind };
  return subresource.type === 'scale' ? scale : subresource.kind;
}

/** Returns the subresources sorted by name; in reverse order for custom resources, which have status before scale. */
export function discoveredSubresources(served: ServedResource): DiscoveredSubresource[] {
  const subresources = served.version.subresources ?? served.resource.subresources;
  const entries = Object.entries(subresources).sort(([a], [b]) => (a < b ? -1 : 1));
  if (served.resource.wire.itemsCarryType) entries.reverse();
  return entries.map(([name, subresource]) => {
    const kind = kindOf(subresource, served);
    const elsewhere = kind.group !== served.resource.group || kind.version !== served.version.name;
    return { name, type: subresource.type, verbs: [...subresource.verbs].sort(), kind, elsewhere };
  });
}

function resourceEntries(served: ServedResource): JsonObject[] {
  const { resource } = served;
  const hash = storageVersionHash(served);
  const main = {
    name: resource.plural,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: discoveredVerbs(served),
    ...(resource.shortNames.length && { shortNames: resource.shortNames }),
    ...(resource.categories.length && { categories: resource.categories }),
    ...(hash !== undefined && { storageVersionHash: hash }),
  };
  const parts = discoveredSubresources(served).map(({ name, verbs, kind, elsewhere }) => ({
    name: `${resource.plural}/${name}`,
    singularName: '',
    namespaced: resource.namespaced,
    ...(elsewhere && { group: kind.group, version: kind.version }),
    kind: kind.kind,
    verbs,
  }));
  return [main, ...parts];
}

const groupVersion = (e: { group: string; version: string }): string =>
  e.group === '' ? e.version : `${e.group}/${e.version}`;

/** Returns the APIResourceList. That of the core group has no apiVersion, as upstream. */
export function resourceList(entry: GroupVersionEntry): JsonObject {
  return {
    kind: 'APIResourceList',
    ...(entry.group !== '' && { apiVersion: 'v1' }),
    groupVersion: groupVersion(entry),
    resources: entry.resources.flatMap(resourceEntries),
  };
}

function groupDocument({ name, versions }: Group): JsonObject {
  const listed = versions.map(v => ({ groupVersion: groupVersion(v), version: v.version }));
  return { name, versions: listed, preferredVersion: listed[0] };
}

/** Returns the APIGroupList, which has the named groups. */
export function groupList(entries: readonly GroupVersionEntry[]): JsonObject {
  const groups = orderedGroups(
    entries.filter(e => e.group !== ''),
    'apiService',
  );
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupDocument) };
}

/** Returns the APIGroup; undefined for the core group and unknown ones. */
export function groupDiscovery(entries: readonly GroupVersionEntry[], name: string): JsonObject | undefined {
  const matching = entries.filter(e => e.group === name && name !== '');
  const [group] = orderedGroups(matching, 'apiService');
  return group && { kind: 'APIGroup', apiVersion: 'v1', ...groupDocument(group) };
}

/** Returns the APIVersions of the core group. */
export function coreVersions(entries: readonly GroupVersionEntry[], serverAddress: string): JsonObject {
  const versions = entries.filter(e => e.group === '').map(e => e.version);
  const addresses = [{ clientCIDR: '0.0.0.0/0', serverAddress }];
  return { kind: 'APIVersions', versions, serverAddressByClientCIDRs: addresses };
}
