import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { GroupRow, ResourceRow, ResourcesTable, VersionRow } from '../../openapi/facts/tables.js';
import { readJson, type OpenApiDocument } from './upstream.js';

interface ApiResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

interface ApiGroup {
  readonly name: string;
  readonly versions: readonly { readonly version: string }[];
}

/** Group-version such as `apps/v1` -> [priority of the group, priority of the version]. */
type Priorities = ReadonlyMap<string, readonly [number, number]>;

/** Returns the priorities of the APIServices from the tables of the two servers that create them. */
export function prioritiesFromSource(kubernetesSource: string): Priorities {
  const found = new Map<string, readonly [number, number]>();
  for (const file of ['cmd/kube-apiserver/app/aggregator.go', 'pkg/controlplane/apiserver/aggregator.go']) {
    const source = fs.readFileSync(path.join(kubernetesSource, file), 'utf8');
    const rows = /\{Group: "([^"]*)", Version: "(\w+)"\}:\s*\{Group: (\d+), Version: (\d+)\}/g;
    for (const [, group = '', version = '', first, second] of source.matchAll(rows))
      found.set(`${group}/${version}`, [Number(first), Number(second)]);
  }
  return found;
}

/** Returns the priorities in the table of the last run, for runs without a source tree. */
export function prioritiesFromTable(table: ResourcesTable): Priorities {
  return new Map(
    table.flatMap(group =>
      group.versions.flatMap(version =>
        version.priority === undefined
          ? []
          : [[`${group.name}/${version.name}`, [group.priority ?? 0, version.priority]] as const],
      ),
    ),
  );
}

const storageHash = (gvk: string): string =>
  createHash('sha256').update(gvk).digest().subarray(0, 8).toString('base64');

/** Returns a function from a storage version hash to its type, found by trying the versions that the groups have or had. */
function storageFinder(groups: readonly ApiGroup[]): (kind: string, hash: string) => string {
  const versions = ['v1', 'v2', ...[1, 2, 3].flatMap(n => [`v1beta${n}`, `v1alpha${n}`])];
  const candidates = groups.flatMap(group => versions.map(version => `${group.name}/${version}`));
  return (kind, hash) => {
    const found = candidates.find(gv => storageHash(`${gv}/${kind}`) === hash);
    if (found === undefined) throw new Error(`no version has the storage hash ${hash} of ${kind}`);
    return found;
  };
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly type: string };
}

interface PathItem {
  readonly parameters?: readonly Parameter[];
  readonly get?: {
    readonly 'x-kubernetes-action'?: string;
    readonly responses: Readonly<Record<string, { content?: object }>>;
  };
}

/** Returns the query parameters of a subresource that forwards a connection or a text, as `name:type`. */
function parametersOf(document: OpenApiDocument | undefined, resource: ApiResource, subresource: string): string[] {
  const end = `/${resource.name}/{name}/${subresource}`;
  const path = Object.keys(document?.paths ?? {}).find(p => p.endsWith(end) && !p.includes('/watch/'));
  const item = path === undefined ? undefined : (document?.paths[path] as PathItem);
  const get = item?.get;
  const text = 'text/plain' in (get?.responses['200']?.content ?? {});
  if (!item?.parameters || (get?.['x-kubernetes-action'] !== 'connect' && !text)) return [];
  return item.parameters.filter(p => p.in === 'query').map(p => `${p.name}:${p.schema.type}`);
}

function resourceRows(
  own: string,
  resources: readonly ApiResource[],
  storage: (kind: string, hash: string) => string,
  document: OpenApiDocument | undefined,
): ResourceRow[] {
  return resources
    .filter(r => !r.name.includes('/'))
    .map(resource => {
      const subresources = resources.filter(r => r.name.startsWith(resource.name + '/'));
      const stored =
        resource.storageVersionHash === undefined ? undefined : storage(resource.kind, resource.storageVersionHash);
      return {
        plural: resource.name,
        singular: resource.singularName,
        kind: resource.kind,
        ...(resource.namespaced && { namespaced: true }),
        verbs: resource.verbs.join(' '),
        ...(resource.shortNames && { shortNames: resource.shortNames }),
        ...(resource.categories && { categories: resource.categories }),
        ...(stored !== undefined && { storage: stored === own ? '' : stored }),
        ...(subresources.length && {
          subresources: Object.fromEntries(
            subresources.map(s => {
              const name = s.name.slice(resource.name.length + 1);
              const kind = s.group === undefined ? s.kind : `${s.group}/${s.version}/${s.kind}`;
              const parameters = parametersOf(document, resource, name);
              return [name, [kind, ...s.verbs, ...(parameters.length ? ['?', ...parameters] : [])].join(' ')];
            }),
          ),
        }),
      };
    });
}

/** Returns all native resources: the core group, then the groups in the order of `/apis`; versions in order of preference. */
export function resourcesTable(
  upstream: string,
  priorities: Priorities,
  documents: ReadonlyMap<string, OpenApiDocument>,
): ResourcesTable {
  const read = (name: string): unknown => {
    const file = path.join(upstream, 'discovery', `${name}.json`);
    return fs.existsSync(file) ? readJson(file) : undefined;
  };
  const named = (read('apis') as { groups: ApiGroup[] }).groups;
  const groups: ApiGroup[] = [{ name: '', versions: [{ version: 'v1' }] }, ...named];
  const storage = storageFinder(groups);
  return groups.map((group): GroupRow => {
    const versions = group.versions.map(({ version }): VersionRow => {
      const path = group.name === '' ? `api/${version}` : `apis/${group.name}/${version}`;
      const list = read(path.replaceAll('/', '__')) as { resources: ApiResource[] } | undefined;
      const priority = priorities.get(`${group.name}/${version}`)?.[1];
      return {
        name: version,
        ...(priority !== undefined && { priority }),
        resources: resourceRows(`${group.name}/${version}`, list?.resources ?? [], storage, documents.get(path)),
      };
    });
    const priority = group.versions
      .map(v => priorities.get(`${group.name}/${v.version}`)?.[0])
      .find(p => p !== undefined);
    return { name: group.name, ...(priority !== undefined && { priority }), versions };
  });
}
