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

/** The forms of a document, which are made on first use. */
interface LazyDocument {
  readonly encoded: () => Promise<Encoded>;
  readonly protobuf: () => Promise<Uint8Array>;
}

/** The document of a group-version, which is cached while its resources are the same: a new CRD does not affect other group-versions. */
interface CachedDocument extends LazyDocument {
  readonly resources: GroupVersionEntry['resources'];
}

function sameResources(a: GroupVersionEntry['resources'], b: GroupVersionEntry['resources']): boolean {
  return (
    a.length === b.length &&
    a.every((served, i) => served.version === b[i]?.version && served.resource === b[i].resource)
  );
}

/** The documents of one generation of a source. Each is computed on first use. */
class Generation {
  readonly #source: PublishSource;
  readonly #toProtobuf: ToProtobuf;
  /** The documents of group-versions, by path, which outlive the generation. */
  readonly #cache: Map<string, CachedDocument>;
  readonly #entries = once(() => groupVersions(this.#source));
  readonly #byPath = once(() => new Map(this.#entries().map(entry => [pathOf(entry), entry])));
  readonly #small = once(() => this.#smallDocuments());
  readonly #lists = new Map<GroupVersionEntry, JsonObject>();
  readonly groups = once(() => groupList(this.#entries()));
  readonly openApiV3Index = onceResolved(async () => encoded(await this.#index()));
  readonly openApiV2 = onceResolved(() => made(swaggerDocument(this.#entries(), this.#source)));
  readonly openApiV2Protobuf = onceResolved(async () => this.#toProtobuf('v2', (await this.openApiV2()).json));
  readonly aggregated = { api: once(() => this.#discover('api')), apis: once(() => this.#discover('apis')) };

  constructor(source: PublishSource, toProtobuf: ToProtobuf, cache: Map<string, CachedDocument>) {
    this.#source = source;
    this.#toProtobuf = toProtobuf;
    this.#cache = cache;
  }

  coreVersions(address: string): JsonObject {
    return coreVersions(this.#entries(), address);
  }

  group(name: string): JsonObject | undefined {
    return groupDiscovery(this.#entries(), name);
  }

  resources(group: string, version: string): JsonObject | undefined {
    const entry = this.#byPath().get(group === '' ? `api/${version}` : `apis/${group}/${version}`);
    if (!entry || entry.remote) return undefined;
    const known = this.#lists.get(entry) ?? resourceList(entry);
    this.#lists.set(entry, known);
    return known;
  }

  /** Returns the OpenAPI v3 document of a path; undefined if there is none. */
  openApiV3(path: string): LazyDocument | undefined {
    const entry = this.#byPath().get(path);
    if (!entry || entry.remote) return this.#small().get(path);
    const old = this.#cache.get(path);
    if (old && sameResources(old.resources, entry.resources)) return old;
    const document = this.#lazy(() => made(groupVersionDocument(entry, this.#source)));
    const next = { resources: entry.resources, ...document };
    this.#cache.set(path, next);
    return next;
  }

  #lazy(make: () => Promise<Encoded>): LazyDocument {
    const document = onceResolved(make);
    return { encoded: document, protobuf: onceResolved(async () => this.#toProtobuf('v3', (await document()).json)) };
  }

  #smallDocuments(): ReadonlyMap<string, LazyDocument> {
    const local = this.#entries().filter(({ remote }) => !remote);
    const groups = new Set(local.map(({ group }) => group));
    return new Map(
      [...smallDocuments([...groups], this.#source.describe)].map(([path, make]) => [
        path,
        this.#lazy(() => Promise.resolve(encoded(make()))),
      ]),
    );
  }

  #discover(root: 'api' | 'apis'): Encoded & { readonly document: JsonObject } {
    const document = aggregatedDiscovery(this.#entries(), root);
    return { document, ...encoded(document) };
  }

  /** Returns the list of all OpenAPI v3 documents, and drops cached ones that are not served any more. */
  async #index(): Promise<JsonObject> {
    const hashes: [path: string, hash: string][] = [];
    for (const entry of this.#entries()) {
      const path = pathOf(entry);
      const hash = entry.remote ? entry.remote.openApiHash : (await this.openApiV3(path)?.encoded())?.hash;
      if (hash !== undefined) hashes.push([path, hash]);
    }
    for (const [path, { encoded: document }] of this.#small()) hashes.push([path, (await document()).hash]);
    for (const path of this.#cache.keys()) if (!this.#byPath().has(path)) this.#cache.delete(path);
    const paths = hashes
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, hash]) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }]);
    return { paths: Object.fromEntries(paths) as JsonObject };
  }
}

/** Answers from the documents of the current generation. */
class CurrentPublications implements Publications {
  readonly #source: PublishSource;
  readonly #toProtobuf: ToProtobuf;
  readonly #cache = new Map<string, CachedDocument>();
  #known: { readonly of: unknown; readonly documents: Generation } | undefined;

  constructor(source: PublishSource, toProtobuf: ToProtobuf) {
    this.#source = source;
    this.#toProtobuf = toProtobuf;
  }

  coreVersions(address: string): JsonObject {
    return this.#current.coreVersions(address);
  }

  groups(): JsonObject {
    return this.#current.groups();
  }

  group(name: string): JsonObject | undefined {
    return this.#current.group(name);
  }

  resources(group: string, version: string): JsonObject | undefined {
    return this.#current.resources(group, version);
  }

  aggregated(root: 'api' | 'apis'): Encoded & { readonly document: JsonObject } {
    return this.#current.aggregated[root]();
  }

  openApiV3Index(): Promise<Encoded> {
    return this.#current.openApiV3Index();
  }

  openApiV3(path: string): Promise<Encoded> | undefined {
    return this.#current.openApiV3(path)?.encoded();
  }

  openApiV3Protobuf(path: string): Promise<Uint8Array> | undefined {
    return this.#current.openApiV3(path)?.protobuf();
  }

  openApiV2(): Promise<Encoded> {
    return this.#current.openApiV2();
  }

  openApiV2Protobuf(): Promise<Uint8Array> {
    return this.#current.openApiV2Protobuf();
  }

  get #current(): Generation {
    const of = this.#source.generation();
    if (!this.#known || this.#known.of !== of)
      this.#known = { of, documents: new Generation(this.#source, this.#toProtobuf, this.#cache) };
    return this.#known.documents;
  }
}

/** Returns the documents of a source. They are computed on first use, and again for each generation of the source. */
export const publications = (source: PublishSource, toProtobuf: ToProtobuf): Publications =>
  new CurrentPublications(source, toProtobuf);
