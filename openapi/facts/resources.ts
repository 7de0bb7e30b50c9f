import type { GroupVersionKind } from '../../apimachinery/interface.js';
import { nativeTypeName } from './native-schemas.js';
import { readTable } from './read.js';
import type { GroupRow, ResourceRow, ResourcesTable, VersionRow } from './tables.js';

/** A built-in resource of kube-apiserver in one of its versions. */
export interface NativeResource extends GroupVersionKind {
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** Sorted. */
  readonly verbs: readonly string[];
  readonly subresources: readonly NativeSubresource[];
  /** The name of the type in OpenAPI: `io.k8s.api.apps.v1.Deployment`. */
  readonly typeName: string;
  /** Undefined for a resource that cannot be listed. */
  readonly listTypeName: string | undefined;
  /** The kind that upstream stores, by its storageVersionHash; its version may be unserved. Undefined for a resource that is not stored. */
  readonly storage: GroupVersionKind | undefined;
  /** Whether the version is served by default: stable ones are, others need --runtime-config. */
  readonly onByDefault: boolean;
}

export interface NativeSubresource {
  readonly name: string;
  readonly kind: GroupVersionKind;
  readonly verbs: readonly string[];
  /** Query parameters of connections and texts (`pods/exec`, `pods/log`); empty for other subresources. */
  readonly parameters: readonly { readonly name: string; readonly type: string }[];
}

interface NativeGroup {
  readonly name: string;
  /** groupPriorityMinimum of its APIServices. apiregistration.k8s.io has no APIService, and is before all other named groups. */
  readonly priority: number;
  /** In order of preference. */
  readonly versions: readonly { readonly name: string; readonly priority: number; readonly onByDefault: boolean }[];
}

let table: ResourcesTable | undefined;
let resources: readonly NativeResource[] | undefined;
let groups: readonly NativeGroup[] | undefined;

const loaded = (): ResourcesTable => (table ??= readTable('resources.json') as ResourcesTable);
const isStable = (version: string): boolean => /^v\d+$/.test(version);

/** Parses `Kind`, which is in the given group-version, or `group/version/Kind`. */
function kindOf(text: string, group: string, version: string): GroupVersionKind {
  const parts = text.split('/');
  const [otherGroup = '', otherVersion = '', kind = ''] = parts;
  return parts.length === 3 ? { group: otherGroup, version: otherVersion, kind } : { group, version, kind: text };
}

function subresourceOf(name: string, text: string, group: string, version: string): NativeSubresource {
  const [head = '', parameters] = text.split(' ? ');
  const [kind = '', ...verbs] = head.split(' ');
  const described = (parameters?.split(' ') ?? []).map(parameter => {
    const [parameterName = '', type = ''] = parameter.split(':');
    return { name: parameterName, type };
  });
  return { name, kind: kindOf(kind, group, version), verbs, parameters: described };
}

function resourceOf({ name: group }: GroupRow, { name: version }: VersionRow, row: ResourceRow): NativeResource {
  const gvk = { group, version, kind: row.kind };
  const typeName = nativeTypeName(gvk);
  if (typeName === undefined) throw new Error(`no native type for ${group}/${version} ${row.kind}`);
  const [storageGroup = '', storageVersion = ''] =
    row.storage === '' ? [group, version] : (row.storage ?? '').split('/');
  return {
    ...gvk,
    plural: row.plural,
    singular: row.singular,
    shortNames: row.shortNames ?? [],
    categories: row.categories ?? [],
    namespaced: row.namespaced ?? false,
    verbs: row.verbs.split(' '),
    subresources: Object.entries(row.subresources ?? {}).map(([name, text]) =>
      subresourceOf(name, text, group, version),
    ),
    typeName,
    listTypeName: nativeTypeName({ ...gvk, kind: row.kind + 'List' }),
    storage: row.storage === undefined ? undefined : { group: storageGroup, version: storageVersion, kind: row.kind },
    onByDefault: isStable(version),
  };
}

/**
 * Returns all native resources in all versions, including those that are off by default: first the core group, then the groups in the order
 * of `/apis`; versions in order of preference; resources by name.
 */
export function nativeResources(): readonly NativeResource[] {
  return (resources ??= loaded().flatMap(group =>
    group.versions.flatMap(version => version.resources.map(row => resourceOf(group, version, row))),
  ));
}

/** Returns all native groups: the core group first, then in the order of `/apis`. */
export function nativeGroups(): readonly NativeGroup[] {
  return (groups ??= loaded().map(group => ({
    name: group.name,
    priority: group.priority ?? Number.MAX_SAFE_INTEGER,
    versions: group.versions.map(v => ({ name: v.name, priority: v.priority ?? 1, onByDefault: isStable(v.name) })),
  })));
}
