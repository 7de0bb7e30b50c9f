/**
 * The in-process client: the same path as over HTTP, without TLS, text and parsing. Returned objects are the shared ones of the cache, and must
 * not be changed; written objects are copied, and still belong to the caller.
 */
import type { GroupVersionResource, KubeList, KubeObject } from '../../apimachinery/interface.js';
import { apiVersionOf } from '../../apimachinery/meta/gvk.js';
import { badRequest, pathNotFound } from '../../apimachinery/errors/status.js';
import type {
  Client,
  CachedEvent,
  CachedObject,
  CachedReader,
  MappedResource,
  ResourceMapper,
  WatchEvent,
  WatchQuery,
  WriteOptions,
} from '../../client/interface.js';
import type { Maybe } from '../../lib/maybe.js';
import type { Identity } from '../../apimachinery/identity.js';
import type { Catalogue, ResourceDefinition, VersionDefinition } from '../interface.js';
import { subresourcesOf } from '../subresources.js';
import { requestsStorageVersion } from './stored/api-versions.js';
import type {
  ListAnswer,
  ObjectAnswer,
  RequestScope,
  ObjectEvent,
  Pipeline,
  ResourceScope,
  Stored,
  WriteParameters,
} from './interface.js';
import { loadedObject } from './stored/loaded.js';
import { decodeLoose } from './decode.js';
import { initialEventsEndAnnotation } from '../../api/kubernetes/well-known.js';

interface LoopbackOptions {
  /** The field manager of writes that do not name another one. */
  readonly fieldManager?: string;
  /** Called with the texts that a client over HTTP gets in Warning headers. */
  readonly onWarning?: (text: string) => void;
}

const never = new AbortController().signal;

/**
 * Returns the client of a component that the server trusts. Its requests are not authorized; otherwise they are like all others. The functions of
 * the client are its own properties, so that a client may be copied with others in the place of some.
 */
export function loopback(
  pipeline: Pipeline,
  catalogue: Catalogue,
  user: Identity,
  options: LoopbackOptions = {},
): Client {
  return new Loopback(pipeline, new Scopes(catalogue, user, options), mapperOf(catalogue));
}

/** Builds the scopes of the requests of one user. */
class Scopes {
  readonly #catalogue: Catalogue;
  readonly #user: Identity;
  readonly #fieldManager: string;
  readonly #onWarning: (text: string) => void;

  constructor(catalogue: Catalogue, user: Identity, { fieldManager, onWarning }: LoopbackOptions) {
    this.#catalogue = catalogue;
    this.#user = user;
    this.#fieldManager = fieldManager ?? user.name;
    this.#onWarning = onWarning ?? (() => undefined);
  }

  /** Returns undefined if the resource is not in the catalogue. */
  resourceScopeOf(resource: GroupVersionResource, namespace = ''): ResourceScope | undefined {
    const definition = this.#catalogue.find(resource);
    const version = definition?.versions.find(v => v.name === resource.version);
    if (!definition || !version) return undefined;
    return { definition, version, namespace: definition.namespaced ? namespace : '' };
  }

  /** Throws a StatusError if the resource is not in the catalogue. */
  scopeOf(
    resource: GroupVersionResource,
    namespace: string | undefined,
    write: WriteOptions = {},
    signal = never,
  ): RequestScope {
    const scope = this.resourceScopeOf(resource, namespace);
    if (!scope) throw pathNotFound();
    return {
      user: this.#user,
      definition: scope.definition,
      version: scope.version,
      subresource: write.subresource ?? '',
      namespace: scope.namespace,
      signal,
      fieldManager: write.fieldManager ?? this.#fieldManager,
      authorize: () => Promise.resolve(),
      warn: this.#onWarning,
      annotate: () => undefined,
    };
  }
}

/** Reads the shared objects of the watch cache. */
class LoopbackReader implements CachedReader {
  readonly #pipeline: Pipeline;
  readonly #scopes: Scopes;

  constructor(pipeline: Pipeline, scopes: Scopes) {
    this.#pipeline = pipeline;
    this.#scopes = scopes;
  }

  readonly list: CachedReader['list'] = async (resource, query = {}) => {
    const scope = this.#scopes.scopeOf(resource, query.namespace);
    const list = await this.#pipeline.list(scope, query);
    const { metadata, items } = list;
    const all = await cachedObjects(this.#pipeline, scope, list);
    return {
      resourceVersion: metadata.resourceVersion ?? '',
      items: all.map((cached, i) => ({ key: keyIn(scope, items[i]), cached })),
    };
  };

  readonly watch: CachedReader['watch'] = (resource, query, signal) => {
    const scopeOf = (): RequestScope => this.#scopes.scopeOf(resource, query.namespace, {}, signal);
    return eventsOf(this.#pipeline, scopeOf, query, cachedEvent);
  };

  readonly getCached: CachedReader['getCached'] = (resource, { namespace, name }) => {
    const scope = this.#scopes.resourceScopeOf(resource, namespace);
    return scope && this.#pipeline.getCached(scope, name);
  };

  readonly listCached: CachedReader['listCached'] = (resource, namespace) => {
    const scope = this.#scopes.resourceScopeOf(resource, namespace);
    return scope && this.#pipeline.listCached(scope);
  };
}

class Loopback implements Client {
  readonly mapper: ResourceMapper;
  readonly cached: CachedReader;
  readonly #pipeline: Pipeline;
  readonly #scopes: Scopes;

  constructor(pipeline: Pipeline, scopes: Scopes, mapper: ResourceMapper) {
    this.#pipeline = pipeline;
    this.#scopes = scopes;
    this.mapper = mapper;
    this.cached = new LoopbackReader(pipeline, scopes);
  }

  readonly get: Client['get'] = async (resource, { namespace, name }, { resourceVersion, subresource } = {}) => {
    const scope = this.#scopes.scopeOf(resource, namespace, subresource === undefined ? {} : { subresource });
    return objectOf(await this.#pipeline.get(scope, name, resourceVersion));
  };

  readonly list: Client['list'] = async (resource, query = {}) => {
    const scope = this.#scopes.scopeOf(resource, query.namespace);
    const list = await this.#pipeline.list(scope, query);
    return listOf(scope, list.metadata, await convertAll(this.#pipeline, scope, list));
  };

  readonly watch: Client['watch'] = (resource, query, signal) => {
    const scopeOf = (): RequestScope => this.#scopes.scopeOf(resource, query.namespace, {}, signal);
    return eventsOf(this.#pipeline, scopeOf, query, watchEvent);
  };

  readonly create: Client['create'] = async (resource, object, { name, ...write } = {}) => {
    const scope = this.#scopes.scopeOf(resource, object.metadata.namespace, write);
    const parameters = parametersOf('CreateOptions', write);
    const decoding = decodeLoose(scope, object);
    return objectOf(
      await this.#pipeline.create(scope, decoding instanceof Promise ? await decoding : decoding, parameters, name),
    );
  };

  readonly update: Client['update'] = async (resource, object, write) => {
    const scope = this.#scopes.scopeOf(resource, object.metadata.namespace, write);
    const { name } = object.metadata;
    if (!name) throw badRequest('name must be provided');
    const current = this.#pipeline.getParsed(scope, name);
    const spec = unchangedSpec(scope, object, current);
    const decoding = decodeLoose(scope, withoutUnchanged(object, current, spec));
    const decoded = decoding instanceof Promise ? await decoding : decoding;
    const parameters = parametersOf('UpdateOptions', write);
    const { answer } = await this.#pipeline.update(
      scope,
      name,
      decoded,
      spec ? { ...parameters, unchangedSpec: spec } : parameters,
    );
    return objectOf(answer);
  };

  readonly patch: Client['patch'] = async (resource, { namespace, name }, patch, write) => {
    const scope = this.#scopes.scopeOf(resource, namespace, write);
    const parameters = { ...parametersOf('PatchOptions', write), fieldValidation: 'Ignore' } as const;
    return objectOf((await this.#pipeline.patch(scope, name, patch, parameters)).answer);
  };

  readonly delete: Client['delete'] = async (resource, { namespace, name }, options = {}) => {
    const { dryRun = false } = options;
    const scope = this.#scopes.scopeOf(resource, namespace);
    await this.#pipeline.delete(scope, name, options, parametersOf('DeleteOptions', { dryRun }));
  };

  readonly deleteCollection: Client['deleteCollection'] = async (resource, query = {}, options = {}) => {
    const { dryRun = false } = options;
    const scope = this.#scopes.scopeOf(resource, query.namespace);
    await this.#pipeline.deleteCollection(scope, query, options, parametersOf('DeleteOptions', { dryRun }));
  };
}

const objectOf = (answer: ObjectAnswer): Maybe<KubeObject> =>
  'stored' in answer ? loadedObject(answer.stored) : answer.object;

/**
 * Returns the spec of an update of the status if it is the identical spec of the stored object, as when a controller gets an object and changes
 * its status. Such a spec is not decoded. hot: most writes of controllers.
 */
function unchangedSpec(scope: RequestScope, { spec }: KubeObject, current: KubeObject | undefined): object | undefined {
  if (scope.subresource !== 'status' || typeof spec !== 'object' || spec === null) return undefined;
  return current?.['spec'] === spec ? spec : undefined;
}

/** Returns the object without that spec, and without managedFields if they are those of the stored object, since absent ones do not change. */
function withoutUnchanged(object: KubeObject, current: KubeObject | undefined, spec: object | undefined): KubeObject {
  const { managedFields, ...metadata } = object.metadata;
  const isUnchanged = managedFields !== undefined && managedFields === current?.metadata.managedFields;
  if (!isUnchanged) return spec ? { ...object, spec: {} } : object;
  return spec ? { ...object, metadata, spec: {} } : { ...object, metadata };
}

function parametersOf(kind: string, { dryRun = false, fieldManager }: WriteOptions = {}): WriteParameters {
  return {
    dryRun,
    options: {
      kind,
      apiVersion: 'meta.k8s.io/v1',
      ...(dryRun && { dryRun: ['All'] }),
      ...(fieldManager !== undefined && { fieldManager }),
    },
  };
}

function listOf({ definition, version }: RequestScope, metadata: KubeList['metadata'], items: KubeObject[]): KubeList {
  return {
    kind: definition.listKind,
    apiVersion: apiVersionOf({ group: definition.group, version: version.name }),
    metadata,
    items,
  };
}

/** hot: Returns the objects of a list in the requested version; the shared ones if they have that version. */
async function convertAll(
  pipeline: Pipeline,
  scope: RequestScope,
  { items, views }: ListAnswer,
): Promise<KubeObject[]> {
  if (views) return [...views];
  const objects = items.map(stored => pipeline.convert(scope, stored));
  return objects.some(object => object instanceof Promise)
    ? Promise.all(objects.map(async object => object))
    : (objects as KubeObject[]);
}

/** Yields the events of a watch. It begins, and throws for an unknown resource, when the first event is asked for. */
async function* eventsOf<E>(
  pipeline: Pipeline,
  scopeOf: () => RequestScope,
  query: WatchQuery,
  toEvent: (pipeline: Pipeline, scope: RequestScope, event: ObjectEvent) => Promise<E>,
): AsyncGenerator<E, void> {
  const scope = scopeOf();
  for await (const event of pipeline.watch(scope, query)) yield await toEvent(pipeline, scope, event);
}

async function watchEvent(pipeline: Pipeline, scope: RequestScope, event: ObjectEvent): Promise<WatchEvent> {
  if (event.type !== 'BOOKMARK') return { type: event.type, object: await pipeline.convert(scope, event.stored) };
  const { definition, version } = scope;
  const annotations = event.initialEventsEnd ? { annotations: { [initialEventsEndAnnotation]: 'true' } } : {};
  return {
    type: 'BOOKMARK',
    object: {
      kind: definition.kind,
      apiVersion: apiVersionOf({ group: definition.group, version: version.name }),
      metadata: { resourceVersion: String(event.revision), ...annotations },
    },
  };
}

/** hot: Returns the stored items if they have the requested version, otherwise converted objects. */
async function cachedObjects(
  pipeline: Pipeline,
  scope: RequestScope,
  list: ListAnswer,
): Promise<readonly CachedObject[]> {
  const { items } = list;
  if (requestsStorageVersion(scope.definition, scope.version)) return items;
  const objects = await convertAll(pipeline, scope, list);
  return objects.map((object, i) => ({ object, revision: items[i]?.revision ?? 0 }));
}

async function cachedEvent(pipeline: Pipeline, scope: RequestScope, event: ObjectEvent): Promise<CachedEvent> {
  const resourceVersion = String(event.revision);
  const { type } = event;
  if (type === 'BOOKMARK') return { type, resourceVersion };
  const { stored } = event;
  const cached = requestsStorageVersion(scope.definition, scope.version)
    ? stored
    : { object: await pipeline.convert(scope, stored), revision: stored.revision };
  return { type, key: keyIn(scope, stored), cached, resourceVersion };
}

/** Returns the key of an object without the prefix of the resource. */
const keyIn = ({ definition }: RequestScope, stored: Stored | undefined): string =>
  stored?.key.slice(definition.storagePrefix.length + 1) ?? '';

function mapperOf(catalogue: Catalogue): ResourceMapper {
  let known: { readonly generation: number; readonly resources: readonly MappedResource[] } | undefined;
  const resources = (): readonly MappedResource[] => {
    if (known?.generation !== catalogue.generation)
      known = { generation: catalogue.generation, resources: [...catalogue.all()].flatMap(mapped) };
    return known.resources;
  };
  return {
    resources: () => Promise.resolve(resources()),
    forKind(kind) {
      const definition = catalogue.forKind(kind);
      const version = definition?.versions.find(v => v.name === kind.version);
      return Promise.resolve(definition && version ? mappedVersion(definition, version) : undefined);
    },
    refresh: () => Promise.resolve(),
  };
}

const mapped = (definition: ResourceDefinition): MappedResource[] =>
  definition.versions.filter(v => v.served).map(version => mappedVersion(definition, version));

function mappedVersion(definition: ResourceDefinition, version: VersionDefinition): MappedResource {
  return {
    group: definition.group,
    version: version.name,
    resource: definition.plural,
    kind: definition.kind,
    namespaced: definition.namespaced,
    verbs: definition.verbs,
    subresources: Object.keys(subresourcesOf(definition, version)),
  };
}
