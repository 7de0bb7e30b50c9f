import type { GroupVersionKind, GroupVersionResource } from '../../apimachinery/interface.js';
import type { Catalogue, ResourceDefinition } from '../interface.js';
import { compareVersions } from '../../apimachinery/meta/gvk.js';

/** A group for discovery, with its served versions in order of preference and its resources sorted by name. */
interface GroupEntry {
  readonly name: string;
  readonly versions: readonly string[];
  readonly resources: readonly ResourceDefinition[];
}

/** A catalogue that can be changed. Holds one definition per (group, plural). */
export interface LiveCatalogue extends Catalogue {
  /** Adds a definition, or replaces the one with the same group and plural. */
  set(definition: ResourceDefinition): void;
  remove(group: string, plural: string): void;
  /** Makes several changes as one: listeners are called once, and the generation grows by one. */
  batch(changes: () => void): void;
  byPlural(group: string, plural: string): ResourceDefinition | undefined;
  /** Returns the groups with a served version, sorted by name; computed once per generation. */
  groups(): readonly GroupEntry[];
}

/** Creates a catalogue. Lookups by `group/version/resource` and by `group/version/kind` are one map access. */
export function createCatalogue(definitions: Iterable<ResourceDefinition> = []): LiveCatalogue {
  const all = new Map<string, ResourceDefinition>();
  const byResource = new Map<string, ResourceDefinition>();
  const byKind = new Map<string, ResourceDefinition>();
  const listeners = new Set<() => void>();
  let generation = 0;
  let depth = 0;
  let dirty = false;
  let groups: readonly GroupEntry[] | undefined;

  const changed = (): void => {
    dirty = true;
    if (depth > 0) return;
    dirty = false;
    generation++;
    groups = undefined;
    for (const listener of [...listeners]) listener();
  };
  const unlink = (old: ResourceDefinition): void => {
    for (const version of old.versions) {
      const prefix = `${old.group}/${version.name}/`;
      if (byResource.get(prefix + old.plural) === old) byResource.delete(prefix + old.plural);
      if (byKind.get(prefix + old.kind) === old) byKind.delete(prefix + old.kind);
    }
  };
  const put = (definition: ResourceDefinition): void => {
    const id = `${definition.group}/${definition.plural}`;
    const old = all.get(id);
    if (old) unlink(old);
    all.set(id, definition);
    for (const version of definition.versions) {
      if (!version.served) continue;
      const prefix = `${definition.group}/${version.name}/`;
      byResource.set(prefix + definition.plural, definition);
      byKind.set(prefix + definition.kind, definition);
    }
  };
  for (const definition of definitions) put(definition);

  return {
    find: (r: GroupVersionResource) => byResource.get(`${r.group}/${r.version}/${r.resource}`),
    forKind: (k: GroupVersionKind) => byKind.get(`${k.group}/${k.version}/${k.kind}`),
    all: () => all.values(),
    get generation() {
      return generation;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set(definition) {
      put(definition);
      changed();
    },
    remove(group, plural) {
      const old = all.get(`${group}/${plural}`);
      if (!old) return;
      unlink(old);
      all.delete(`${group}/${plural}`);
      changed();
    },
    batch(changes) {
      depth++;
      try {
        changes();
      } finally {
        depth--;
        if (depth === 0 && dirty) changed();
      }
    },
    byPlural: (group, plural) => all.get(`${group}/${plural}`),
    groups: () => (groups ??= collectGroups(all.values())),
  };
}

function collectGroups(definitions: Iterable<ResourceDefinition>): GroupEntry[] {
  const found = new Map<string, { versions: Set<string>; resources: ResourceDefinition[] }>();
  for (const definition of definitions) {
    const served = definition.versions.filter(v => v.served);
    if (served.length === 0) continue;
    const entry = found.get(definition.group) ?? { versions: new Set(), resources: [] };
    for (const version of served) entry.versions.add(version.name);
    entry.resources.push(definition);
    found.set(definition.group, entry);
  }
  return [...found]
    .map(([name, { versions, resources }]) => ({
      name,
      versions: [...versions].sort(compareVersions),
      resources: resources.sort((a, b) => (a.plural < b.plural ? -1 : 1)),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
