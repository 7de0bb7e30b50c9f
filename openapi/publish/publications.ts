import { atOnce, inTimeSlices, type InSteps } from '../../lib/time-slice.js';
import type { JsonObject } from '../../apimachinery/interface.js';
import { once } from '../../lib/collections/once.js';
import { aggregatedDiscovery } from './aggregated.js';
import { coreVersions, groupDiscovery, groupList, resourceList } from './discovery.js';
import { encodeSteps } from './document-text.js';
import { groupVersions, type GroupVersionEntry } from './group-versions.js';
import type { Encoded, Publications, PublishSource, ToProtobuf } from './interface.js';
import { swaggerDocument } from './openapi-v2.js';
import { groupVersionDocument, smallDocuments } from './openapi-v3.js';

const encoded = (document: JsonObject): Encoded => atOnce(encodeSteps(document));

/** Makes and encodes a document in time slices. */
async function made(document: InSteps<JsonObject>): Promise<Encoded> {
  function* steps(): InSteps<Encoded> {
    return yield* encodeSteps(yield* document);
  }
  return inTimeSlices(steps());
}

/** Returns a function that calls `make` once, and again if the promise has rejected. */
function onceResolved<T>(make: () => Promise<T>): () => Promise<T> {
  let promise: Promise<T> | undefined;
  return () =>
    (promise ??= make().catch((error: unknown) => {
      promise = undefined;
      throw error;
    }));
}

const pathOf = ({ group, version }: GroupVersionEntry): string =>
  group === '' ? `api/${version}` : `apis/${group}/${version}`;

/** The document of a group-version, which is cached while its resources are the same: a new CRD does not affect other group-versions. */
interface CachedDocument {
  readonly resources: GroupVersionEntry['resources'];
  readonly encoded: () => Promise<Encoded>;
  readonly protobuf: () => Promise<Uint8Array>;
}

function sameResources(a: GroupVersionEntry['resources'], b: GroupVersionEntry['resources']): boolean {
  return (
    a.length === b.length &&
    a.every((served, i) => served.version === b[i]?.version && served.resource === b[i].resource)
  );
}

function generation(source: PublishSource, toProtobuf: ToProtobuf, cache: Map<string, CachedDocument>): Publications {
  const entries = once(() => groupVersions(source));
  const byPath = once(() => new Map(entries().map(entry => [pathOf(entry), entry])));
  const cached = (make: () => Promise<Encoded>): Omit<CachedDocument, 'resources'> => {
    const document = onceResolved(make);
    return { encoded: document, protobuf: onceResolved(async () => toProtobuf('v3', (await document()).json)) };
  };
  const small = once(() => {
    const groups = new Set(
      entries()
        .filter(e => !e.remote)
        .map(e => e.group),
    );
    return new Map(
      [...smallDocuments([...groups], source.describe)].map(([path, make]) => [
        path,
        cached(() => Promise.resolve(encoded(make()))),
      ]),
    );
  });
  const discover = (root: 'api' | 'apis') => {
    const document = aggregatedDiscovery(entries(), root);
    return { document, ...encoded(document) };
  };
  const aggregated = { api: once(() => discover('api')), apis: once(() => discover('apis')) };
  const lists = new Map<GroupVersionEntry, JsonObject>();

  function document(path: string): Omit<CachedDocument, 'resources'> | undefined {
    const entry = byPath().get(path);
    if (!entry || entry.remote) return small().get(path);
    const old = cache.get(path);
    if (old && sameResources(old.resources, entry.resources)) return old;
    const next = { resources: entry.resources, ...cached(() => made(groupVersionDocument(entry, source))) };
    cache.set(path, next);
    return next;
  }

  async function index(): Promise<JsonObject> {
    const hashes: [path: string, hash: string][] = [];
    for (const entry of entries()) {
      const path = pathOf(entry);
      const hash = entry.remote ? entry.remote.openApiHash : (await document(path)?.encoded())?.hash;
      if (hash !== undefined) hashes.push([path, hash]);
    }
    for (const [path, { encoded: document }] of small()) hashes.push([path, (await document()).hash]);
    for (const path of cache.keys()) if (!byPath().has(path)) cache.delete(path);
    const paths = hashes
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, hash]) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }]);
    return { paths: Object.fromEntries(paths) as JsonObject };
  }

  const swagger = onceResolved(() => made(swaggerDocument(entries(), source)));

  return {
    coreVersions: address => coreVersions(entries(), address),
    groups: once(() => groupList(entries())),
    group: name => groupDiscovery(entries(), name),
    resources(group, version) {
      const entry = byPath().get(group === '' ? `api/${version}` : `apis/${group}/${version}`);
      if (!entry || entry.remote) return undefined;
      const known = lists.get(entry) ?? resourceList(entry);
      lists.set(entry, known);
      return known;
    },
    aggregated: root => aggregated[root](),
    openApiV3Index: onceResolved(async () => encoded(await index())),
    openApiV3: path => document(path)?.encoded(),
    openApiV3Protobuf: path => document(path)?.protobuf(),
    openApiV2: swagger,
    openApiV2Protobuf: onceResolved(async () => toProtobuf('v2', (await swagger()).json)),
  };
}

/** Returns the documents of a source. They are computed on first use, and again for each generation of the source. */
export function publications(source: PublishSource, toProtobuf: ToProtobuf): Publications {
  const cache = new Map<string, CachedDocument>();
  let known: { readonly of: unknown; readonly documents: Publications } | undefined;
  const current = (): Publications => {
    const of = source.generation();
    if (!known || known.of !== of) known = { of, documents: generation(source, toProtobuf, cache) };
    return known.documents;
  };
  return {
    coreVersions: address => current().coreVersions(address),
    groups: () => current().groups(),
    group: name => current().group(name),
    resources: (group, version) => current().resources(group, version),
    aggregated: root => current().aggregated(root),
    openApiV3Index: () => current().openApiV3Index(),
    openApiV3: path => current().openApiV3(path),
    openApiV3Protobuf: path => current().openApiV3Protobuf(path),
    openApiV2: () => current().openApiV2(),
    openApiV2Protobuf: () => current().openApiV2Protobuf(),
  };
}
