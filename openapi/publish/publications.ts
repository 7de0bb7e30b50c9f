import { once } from '../meta/once.js';
import { createHash } from 'node:crypto';
import type { JsonObject } from '../interface.js';
import { jsonText, parseJson } from '../meta/json.js';
import { aggregatedDiscovery } from './aggregated.js';
import { coreVersions, groupDiscovery, groupList, resourceList } from './discovery.js';
import { groupVersions, type GroupVersionEntry } from './group-versions.js';
import type { Encoded, Publications, PublishSource } from './interface.js';
import { swaggerDocument } from './openapi-v2.js';
import { groupVersionDocument, smallDocuments } from './openapi-v3.js';
import { openApiV3Protobuf } from './openapi-v3-protobuf.js';
import { swaggerProtobuf } from './swagger-protobuf.js';

function encoded(document: JsonObject): Encoded {
  const json = Buffer.from(jsonText(document));
  return { json, hash: createHash('sha512').update(json).digest('hex').toUpperCase() };
}

const pathOf = ({ group, version }: GroupVersionEntry): string =>
  group === '' ? `api/${version}` : `apis/${group}/${version}`;

/** A document of a group-version is kept as long as its resources are the same ones: a new CRD does not make the others anew. */
interface KeptDocument {
  readonly resources: GroupVersionEntry['resources'];
  readonly encoded: Encoded;
}

function sameResources(a: GroupVersionEntry['resources'], b: GroupVersionEntry['resources']): boolean {
  return (
    a.length === b.length &&
    a.every((served, i) => served.version === b[i]?.version && served.resource === b[i].resource)
  );
}

/** Of documents that somebody wanted in protobuf, as long as they are kept. */
const binaries = new WeakMap<Encoded, Buffer>();

function binaryOf(document: Encoded): Buffer {
  let binary = binaries.get(document);
  if (!binary) {
    binary = openApiV3Protobuf(parseJson(document.json.toString()) as JsonObject);
    binaries.set(document, binary);
  }
  return binary;
}

function generation(source: PublishSource, kept: Map<string, KeptDocument>): Publications {
  const entries = once(() => groupVersions(source));
  const byPath = once(() => new Map(entries().map(entry => [pathOf(entry), entry])));
  const small = once(() => {
    const groups = new Set(
      entries()
        .filter(e => !e.remote)
        .map(e => e.group),
    );
    return new Map(
      [...smallDocuments([...groups], source.describe)].map(([path, make]) => [path, once(() => encoded(make()))]),
    );
  });
  const discover = (root: 'api' | 'apis') => {
    const document = aggregatedDiscovery(entries(), root);
    return { document, ...encoded(document) };
  };
  const aggregated = { api: once(() => discover('api')), apis: once(() => discover('apis')) };
  const lists = new Map<GroupVersionEntry, JsonObject>();

  function document(path: string): Encoded | undefined {
    const entry = byPath().get(path);
    if (!entry || entry.remote) return small().get(path)?.();
    const old = kept.get(path);
    if (old && sameResources(old.resources, entry.resources)) return old.encoded;
    const made = encoded(groupVersionDocument(entry, source.describe));
    kept.set(path, { resources: entry.resources, encoded: made });
    return made;
  }

  function index(): JsonObject {
    const hashes = entries().flatMap((entry): [string, string | undefined][] => {
      const path = pathOf(entry);
      return [[path, entry.remote ? entry.remote.openApiHash : document(path)?.hash]];
    });
    for (const [path, make] of small()) hashes.push([path, make().hash]);
    for (const path of kept.keys()) if (!byPath().has(path)) kept.delete(path);
    const paths = hashes
      .filter(([, hash]) => hash !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, hash]) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }]);
    return { paths: Object.fromEntries(paths) as JsonObject };
  }

  const swagger = once(() => encoded(swaggerDocument(entries(), source.describe)));

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
    openApiV3Index: once(() => encoded(index())),
    openApiV3: document,
    openApiV3Protobuf(path) {
      const found = document(path);
      return found && binaryOf(found);
    },
    openApiV2: swagger,
    openApiV2Protobuf: once(() => swaggerProtobuf(parseJson(swagger().json.toString()) as JsonObject)),
  };
}

/** The documents of a source: one set per generation of it, each document made when first asked for. */
export function publications(source: PublishSource): Publications {
  const kept = new Map<string, KeptDocument>();
  let known: { readonly of: unknown; readonly documents: Publications } | undefined;
  const current = (): Publications => {
    const of = source.generation();
    if (!known || known.of !== of) known = { of, documents: generation(source, kept) };
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
