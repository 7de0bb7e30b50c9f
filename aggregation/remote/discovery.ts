import type { GroupVersionKind } from '../../openapi/interface.js';
import { gvkText } from '../../openapi/meta/gvk.js';
import type { MappedResource, ResourceMapper } from '../../registry/interface.js';

interface AggregatedResource {
  resource: string;
  responseKind?: { group?: string; version?: string; kind: string };
  scope: 'Namespaced' | 'Cluster';
  verbs: string[];
  subresources?: { subresource: string }[];
}

interface AggregatedList {
  items: {
    metadata?: { name?: string };
    versions: { version: string; resources?: AggregatedResource[]; freshness?: string }[];
  }[];
}

interface LegacyList {
  resources?: { name: string; kind: string; namespaced: boolean; verbs: string[] }[];
}

/** Reads a JSON document of the server; rejects with StatusError. */
export type Fetch = (path: string, accept?: string) => Promise<unknown>;

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
/** A kind that is not known is asked for again after so long: it may have come meanwhile. */
const forgetMs = 10_000;

/** Everything a server serves, preferred versions first: by aggregated discovery, or group by group where a server has none. */
export async function discover(fetch: Fetch): Promise<MappedResource[]> {
  const [core, groups] = await Promise.all([fetch('/api', aggregated), fetch('/apis', aggregated)]);
  const lists = [core, groups].filter(isAggregated);
  if (lists.length === 2) return lists.flatMap(fromAggregated);
  return legacy(core, groups, fetch);
}

const isAggregated = (document: unknown): document is AggregatedList =>
  (document as { kind?: string }).kind === 'APIGroupDiscoveryList';

function fromAggregated(list: AggregatedList): MappedResource[] {
  return list.items.flatMap(({ metadata, versions }) =>
    versions.flatMap(({ version, resources = [] }) =>
      resources.map(({ resource, responseKind, scope, verbs, subresources = [] }) => ({
        group: metadata?.name ?? '',
        version,
        resource,
        kind: responseKind?.kind ?? '',
        namespaced: scope === 'Namespaced',
        verbs,
        subresources: subresources.map(({ subresource }) => subresource),
      })),
    ),
  );
}

async function legacy(core: unknown, groups: unknown, fetch: Fetch): Promise<MappedResource[]> {
  const { versions = [] } = core as { versions?: string[] };
  const { groups: list = [] } = groups as { groups?: { name: string; versions: { version: string }[] }[] };
  const places = [
    ...versions.map(version => ({ group: '', version, path: `/api/${version}` })),
    ...list.flatMap(({ name, versions }) =>
      versions.map(({ version }) => ({ group: name, version, path: `/apis/${name}/${version}` })),
    ),
  ];
  const documents = await Promise.allSettled(
    places.map(async ({ group, version, path }) => fromLegacy(group, version, (await fetch(path)) as LegacyList)),
  );
  // One group that cannot be reached must not hide the others (as client-go's partial discovery); that none can be is an error.
  const read = documents.filter(document => document.status === 'fulfilled');
  const [first] = documents;
  if (first?.status === 'rejected' && read.length === 0) throw first.reason;
  return read.flatMap(({ value }) => value);
}

function fromLegacy(group: string, version: string, { resources = [] }: LegacyList): MappedResource[] {
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, kind, namespaced, verbs }) => ({
      group,
      version,
      resource: name,
      kind,
      namespaced,
      verbs,
      subresources: resources.filter(r => r.name.startsWith(`${name}/`)).map(r => r.name.slice(name.length + 1)),
    }));
}

/** Discovery, kept until it is asked to be fresh or does not know a kind. Callers at the same time share one round trip. */
export function createMapper(fetch: Fetch, now: () => number): ResourceMapper {
  let known: Promise<readonly MappedResource[]> | undefined;
  let fetched = 0;
  let byKind = new Map<string, MappedResource>();

  function load(): Promise<readonly MappedResource[]> {
    fetched = now();
    const loading = discover(fetch).then(resources => {
      byKind = new Map(resources.map(resource => [gvkText(resource), resource]));
      return resources;
    });
    known = loading;
    // The caller hears of it; who asks next tries again.
    loading.catch(() => {
      if (known === loading) known = undefined;
    });
    return loading;
  }

  return {
    resources: () => known ?? load(),
    async forKind(kind: GroupVersionKind) {
      await (known ?? load());
      const found = byKind.get(gvkText(kind));
      if (found || now() - fetched < forgetMs) return found;
      await load();
      return byKind.get(gvkText(kind));
    },
    async refresh() {
      await load();
    },
  };
}
