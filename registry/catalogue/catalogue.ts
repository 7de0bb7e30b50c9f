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

class ResourceCatalogue implements LiveCatalogue {
  /** By `group/plural`. */
  readonly #definitions = new Map<string, ResourceDefinition>();
  /** By `group/version/resource`. */
  readonly #byResource = new Map<string, ResourceDefinition>();
  /** By `group/version/kind`. */
  readonly #byKind = new Map<string, ResourceDefinition>();
  readonly #listeners = new Set<() => void>();
  #generation = 0;
  /** The number of batches that are being made, one inside the other. */
  #depth = 0;
  /** The batch has changed something. */
  #dirty = false;
  #groups: readonly GroupEntry[] | undefined;

  constructor(definitions: Iterable<ResourceDefinition>) {
    for (const definition of definitions) this.#put(definition);
  }

  get generation(): number {
    return this.#generation;
  }

  find({ group, version, resource }: GroupVersionResource): ResourceDefinition | undefined {
    return this.#byResource.get(`${group}/${version}/${resource}`);
  }

  forKind({ group, version, kind }: GroupVersionKind): ResourceDefinition | undefined {
    return this.#byKind.get(`${group}/${version}/${kind}`);
  }

  byPlural(group: string, plural: string): ResourceDefinition | undefined {
    return this.#definitions.get(`${group}/${plural}`);
  }

  all(): Iterable<ResourceDefinition> {
    return this.#definitions.values();
  }

  groups(): readonly GroupEntry[] {
    return (this.#groups ??= collectGroups(this.all()));
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  set(definition: ResourceDefinition): void {
    this.#put(definition);
    this.#changed();
  }

  remove(group: string, plural: string): void {
    const old = this.byPlural(group, plural);
    if (!old) return;
    this.#unlink(old);
    this.#definitions.delete(`${group}/${plural}`);
    this.#changed();
  }

  batch(changes: () => void): void {
    this.#depth++;
    try {
      changes();
    } finally {
      this.#depth--;
      if (this.#depth === 0 && this.#dirty) this.#changed();
    }
  }

  #changed(): void {
    this.#dirty = true;
    if (this.#depth > 0) return;
    this.#dirty = false;
    this.#generation++;
    this.#groups = undefined;
    for (const listener of [...this.#listeners]) listener();
  }

  #put(definition: ResourceDefinition): void {
    const { group, plural, kind, versions } = definition;
    const old = this.byPlural(group, plural);
    if (old) this.#unlink(old);
    this.#definitions.set(`${group}/${plural}`, definition);
    for (const version of versions) {
      if (!version.served) continue;
      const prefix = `${group}/${version.name}/`;
      this.#byResource.set(prefix + plural, definition);
      this.#byKind.set(prefix + kind, definition);
    }
  }

  /** Removes the entries of a definition that no other one has taken. */
  #unlink(old: ResourceDefinition): void {
    for (const version of old.versions) {
      const prefix = `${old.group}/${version.name}/`;
      if (this.#byResource.get(prefix + old.plural) === old) this.#byResource.delete(prefix + old.plural);
      if (this.#byKind.get(prefix + old.kind) === old) this.#byKind.delete(prefix + old.kind);
    }
  }
}

/** Creates a catalogue. Lookups by `group/version/resource` and by `group/version/kind` are one map access. */
export const createCatalogue = (definitions: Iterable<ResourceDefinition> = []): LiveCatalogue =>
  new ResourceCatalogue(definitions);

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
