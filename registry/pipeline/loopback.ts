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
  WriteOptions,
} from '../../client/interface.js';
import type { Identity } from '../../apimachinery/identity.js';
import type { Catalogue, ResourceDefinition, VersionDefinition } from '../interface.js';
import { subresourcesOf } from '../subresources.js';
import { requestsStorageVersion } from './stored/api-versions.js';
import type { Answer, RequestScope, Event, Pipeline, Stored, WriteParameters } from './interface.js';
import { decodeLoose } from './decode.js';
import { initialEventsEndAnnotation } from '../../api/kubernetes/well-known.js';

interface LoopbackOptions {
  /** The field manager of writes that do not name another one. */
  readonly fieldManager?: string;
  /** Called with the texts that a client over HTTP gets in Warning headers. */
  readonly onWarning?: (text: string) => void;
}

type Place = Parameters<Pipeline['listCached']>[0];

const never = new AbortController().signal;

/** Returns the client of a component that the server trusts. Its requests are not authorized; otherwise they are like all others. */
export function loopback(
  pipeline: Pipeline,
  catalogue: Catalogue,
  user: Identity,
  options: LoopbackOptions = {},
): Client {
  const { fieldManager = user.name, onWarning = () => undefined } = options;

  function placeOf(resource: GroupVersionResource, namespace = ''): Place | undefined {
    const definition = catalogue.find(resource);
    const version = definition?.versions.find(v => v.name === resource.version);
    if (!definition || !version) return undefined;
    return { definition, version, namespace: definition.namespaced ? namespace : '' };
  }

  function callOf(
    resource: GroupVersionResource,
    namespace: string | undefined,
    write: WriteOptions = {},
    signal = never,
  ): RequestScope {
    const place = placeOf(resource, namespace);
    if (!place) throw pathNotFound();
    return {
      user,
      definition: place.definition,
      version: place.version,
      subresource: write.subresource ?? '',
      namespace: place.namespace,
      signal,
      fieldManager: write.fieldManager ?? fieldManager,
      authorize: () => Promise.resolve(),
      warn: onWarning,
      annotate: () => undefined,
    };
  }

  const cached: CachedReader = {
    async list(resource, query = {}) {
      const call = callOf(resource, query.namespace);
      const { metadata, items } = await pipeline.list(call, query);
      const all = await cachedObjects(pipeline, call, items);
      return {
        resourceVersion: metadata.resourceVersion ?? '',
        items: all.map((cached, i) => ({ key: keyIn(call, items[i]), cached })),
      };
    },
    async *watch(resource, query, signal) {
      const call = callOf(resource, query.namespace, {}, signal);
      for await (const event of pipeline.watch(call, query)) yield await cachedEvent(pipeline, call, event);
    },
    getCached(resource, { namespace, name }) {
      const place = placeOf(resource, namespace);
      return place && pipeline.getCached(place, name);
    },
    listCached(resource, namespace) {
      const place = placeOf(resource, namespace);
      return place && pipeline.listCached(place);
    },
  };

  const objectOf = (answer: Answer): KubeObject => ('stored' in answer ? answer.stored.object : answer.object);

  return {
    async get(resource, { namespace, name }, { resourceVersion, subresource } = {}) {
      const call = callOf(resource, namespace, subresource === undefined ? {} : { subresource });
      return objectOf(await pipeline.get(call, name, resourceVersion));
    },
    async list(resource, query = {}) {
      const call = callOf(resource, query.namespace);
      const { metadata, items } = await pipeline.list(call, query);
      return listOf(call, metadata, await convertAll(pipeline, call, items));
    },
    async *watch(resource, query, signal) {
      const call = callOf(resource, query.namespace, {}, signal);
      for await (const event of pipeline.watch(call, query)) yield await watchEvent(pipeline, call, event);
    },
    async create(resource, object, { name, ...write } = {}) {
      const call = callOf(resource, object.metadata.namespace, write);
      return objectOf(
        await pipeline.create(call, decodeLoose(call, object), parametersOf('CreateOptions', write), name),
      );
    },
    async update(resource, object, write) {
      const call = callOf(resource, object.metadata.namespace, write);
      const { name } = object.metadata;
      if (!name) throw badRequest('name must be provided');
      const current = pipeline.getParsed(call, name);
      const spec = unchangedSpec(call, object, current);
      const decoded = decodeLoose(call, withoutUnchanged(object, current, spec));
      const parameters = parametersOf('UpdateOptions', write);
      const { answer } = await pipeline.update(
        call,
        name,
        decoded,
        spec ? { ...parameters, unchangedSpec: spec } : parameters,
      );
      return objectOf(answer);
    },
    async patch(resource, { namespace, name }, patch, write) {
      const call = callOf(resource, namespace, write);
      const parameters = { ...parametersOf('PatchOptions', write), fieldValidation: 'Ignore' } as const;
      return objectOf((await pipeline.patch(call, name, patch, parameters)).answer);
    },
    async delete(resource, { namespace, name }, options = {}) {
      const { dryRun = false } = options;
      await pipeline.delete(callOf(resource, namespace), name, options, parametersOf('DeleteOptions', { dryRun }));
    },
    async deleteCollection(resource, query = {}, options = {}) {
      const { dryRun = false } = options;
      const call = callOf(resource, query.namespace);
      await pipeline.deleteCollection(call, query, options, parametersOf('DeleteOptions', { dryRun }));
    },
    mapper: mapperOf(catalogue),
    cached,
  };
}

/**
 * Returns the spec of an update of the status if it is the identical spec of the stored object, as when a controller gets an object and changes
 * its status. Such a spec is not decoded. hot: most writes of controllers.
 */
function unchangedSpec(call: RequestScope, { spec }: KubeObject, current: KubeObject | undefined): object | undefined {
  if (call.subresource !== 'status' || typeof spec !== 'object' || spec === null) return undefined;
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
async function convertAll(pipeline: Pipeline, call: RequestScope, items: readonly Stored[]): Promise<KubeObject[]> {
  const objects = items.map(stored => pipeline.convert(call, stored));
  return objects.some(object => object instanceof Promise)
    ? Promise.all(objects.map(async object => object))
    : (objects as KubeObject[]);
}

async function watchEvent(pipeline: Pipeline, call: RequestScope, event: Event): Promise<WatchEvent> {
  if (event.type !== 'BOOKMARK') return { type: event.type, object: await pipeline.convert(call, event.stored) };
  const { definition, version } = call;
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
  call: RequestScope,
  items: readonly Stored[],
): Promise<readonly CachedObject[]> {
  if (requestsStorageVersion(call.definition, call.version)) return items;
  const objects = await convertAll(pipeline, call, items);
  return objects.map((object, i) => ({ object, revision: items[i]?.revision ?? 0 }));
}

async function cachedEvent(pipeline: Pipeline, call: RequestScope, event: Event): Promise<CachedEvent> {
  const resourceVersion = String(event.revision);
  const { type } = event;
  if (type === 'BOOKMARK') return { type, resourceVersion };
  const { stored } = event;
  const cached = requestsStorageVersion(call.definition, call.version)
    ? stored
    : { object: await pipeline.convert(call, stored), revision: stored.revision };
  return { type, key: keyIn(call, stored), cached, resourceVersion };
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
