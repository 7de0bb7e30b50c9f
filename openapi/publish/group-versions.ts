import { compareVersions } from '../../apimachinery/meta/gvk.js';
import { nativeGroups } from '../facts/resources.js';
import type { Priority, PublishedResource, PublishedVersion, PublishSource, RemoteGroupVersion } from './interface.js';
import { compareTexts } from '../../lib/collections/compare-texts.js';

/** A resource in one of its served versions. */
export interface ServedResource {
  readonly resource: PublishedResource;
  readonly version: PublishedVersion;
}

export interface GroupVersionEntry {
  readonly group: string;
  readonly version: string;
  readonly priority: Priority;
  /** Sorted by name; empty for a remote group-version. */
  readonly resources: readonly ServedResource[];
  readonly remote?: RemoteGroupVersion;
}

const customResources: Priority = { group: 1000, version: 100 };
let native: Map<string, Priority> | undefined;

function nativePriority(group: string, version: string): Priority | undefined {
  native ??= new Map(
    nativeGroups().flatMap(g =>
      g.versions.map(v => [`${g.name}/${v.name}`, { group: g.priority, version: v.priority }] as const),
    ),
  );
  return native.get(`${group}/${version}`);
}

/** Returns all served group-versions, unordered. */
export function groupVersions(source: PublishSource): GroupVersionEntry[] {
  const local = new Map<string, { group: string; version: string; resources: ServedResource[] }>();
  const remote = new Map([...(source.remote?.() ?? [])].map(each => [`${each.group}/${each.version}`, each]));
  for (const resource of source.resources())
    for (const version of resource.versions) {
      if (!version.served) continue;
      const id = `${resource.group}/${version.name}`;
      // Requests go to the other server.
      if (remote.has(id)) continue;
      const entry = local.get(id) ?? { group: resource.group, version: version.name, resources: [] };
      entry.resources.push({ resource, version });
      local.set(id, entry);
    }
  const entries: GroupVersionEntry[] = [...local.values()].map(entry => ({
    ...entry,
    resources: entry.resources.sort((a, b) => compareTexts(a.resource.plural, b.resource.plural)),
    priority:
      source.priority?.(entry.group, entry.version) ?? nativePriority(entry.group, entry.version) ?? customResources,
  }));
  for (const each of remote.values())
    entries.push({ group: each.group, version: each.version, priority: each.priority, resources: [], remote: each });
  return entries;
}

export interface Group {
  readonly name: string;
  /** In order of preference. */
  readonly versions: readonly GroupVersionEntry[];
}

/**
 * Returns the groups sorted by the highest priority of their versions. Groups of equal priority are sorted by name in aggregated discovery,
 * and by the name of their first APIService (`v1.apps`) in `/apis`.
 */
// as kube-aggregator/pkg/apis/apiregistration/v1/helper SortedByGroupAndVersion
// as apiserver/pkg/endpoints/discovery/aggregated calculateAPIGroupsLocked
export function orderedGroups(entries: readonly GroupVersionEntry[], ties: 'group' | 'apiService'): Group[] {
  const name = (e: GroupVersionEntry): string => (ties === 'group' ? e.group : `${e.version}.${e.group}`);
  const groups = new Map<string, GroupVersionEntry[]>();
  for (const entry of [...entries].sort(
    (a, b) => b.priority.group - a.priority.group || compareTexts(name(a), name(b)),
  ))
    groups.set(entry.group, [...(groups.get(entry.group) ?? []), entry]);
  return [...groups].map(([group, versions]) => ({
    name: group,
    versions: versions.sort((a, b) => b.priority.version - a.priority.version || compareVersions(a.version, b.version)),
  }));
}
