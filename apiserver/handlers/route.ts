/** Finds the definition that serves a request. Throws the same errors as kube-apiserver. */
import { apiVersionOf } from '../../apimachinery/meta/gvk.js';
import { methodNotAllowed, methodNotSupported, notFound, pathNotFound } from '../../apimachinery/errors/status.js';
import type { Catalogue, ResourceDefinition, Subresource, Verb, VersionDefinition } from '../../registry/interface.js';
import { subresourceOf } from '../../registry/subresources.js';
import { pageNotFound } from '../http/answer.js';
import type { RequestInfo } from '../interface.js';
import { labelsOf, type RequestMetrics, type ServerMetrics } from '../metrics/request-metrics.js';
import { groupResourceOf } from '../../registry/group-resource.js';
import { KnownRoutes } from './known-routes.js';

export interface Route {
  readonly definition: ResourceDefinition;
  readonly version: VersionDefinition;
  readonly verb: Verb;
  readonly part: Subresource | undefined;
  /** Stored objects have to be converted: this is not the version (or group) that is stored. */
  readonly converts: boolean;
  readonly apiVersion: string;
  readonly metrics: RequestMetrics;
  /** Returns the metrics of applies, which have the route of patches. */
  readonly applyMetrics: () => RequestMetrics;
}

/** Reports whether a definition is served as by kube-apiserver's handler of custom resources, not as by those of built-in types. */
export const isCustom = (definition: ResourceDefinition): boolean => definition.wire.itemsCarryType;

const collectionVerbs: readonly Verb[] = ['list', 'watch', 'create', 'deletecollection'];
const itemVerbs: readonly Verb[] = ['get', 'update', 'patch', 'delete', 'watch'];

/** Reports whether the scope of the resource allows the path: namespaced objects need a namespace, others must not have one. */
function fitsScope(definition: ResourceDefinition, info: RequestInfo): boolean {
  const item = info.parts.length > 1;
  if (definition.namespaced) return info.namespace !== '' || !item;
  return info.namespace === '' || (definition.plural === 'namespaces' && item);
}

/** Returns the 404 of the kind of handler that serves the definition. */
function unknownPath(definition: ResourceDefinition): Error {
  return isCustom(definition) ? pageNotFound() : pathNotFound();
}

function wrongMethod(definition: ResourceDefinition, info: RequestInfo): Error {
  return isCustom(definition) ? methodNotSupported(groupResourceOf({ definition }), info.verb) : methodNotAllowed();
}

/** Reports whether all methods are accepted: proxies forward also HEAD and OPTIONS, which have no verbs. */
const takesAllMethods = (definition: ResourceDefinition, { parts, subresource }: RequestInfo): boolean =>
  parts.length > 2 && subresource === 'proxy' && definition.subresources['proxy']?.type === 'connect';

function checkMain(definition: ResourceDefinition, info: RequestInfo): void {
  const item = info.parts.length > 1;
  const verbs = (item ? itemVerbs : collectionVerbs).filter(verb => definition.verbs.includes(verb));
  if (verbs.length === 0) throw unknownPath(definition);
  if (!verbs.includes(info.verb as Verb)) throw wrongMethod(definition, info);
  if (item || !definition.namespaced || info.namespace !== '') return;
  // Across all namespaces, only reads are allowed.
  if (info.verb === 'list' || info.verb === 'watch') return;
  throw isCustom(definition) ? pageNotFound() : methodNotAllowed();
}

/** Throws unless the path is a deprecated watch path that is served. Paths with the verb `proxy` are parsed, but not served. */
function checkVerbInPath(method: string, definition: ResourceDefinition, info: RequestInfo): void {
  if (isCustom(definition)) return;
  const isServed = info.verb === 'watch' && info.parts.length < 3 && definition.verbs.includes('watch');
  if (!isServed) throw pathNotFound();
  if (method !== 'GET') throw methodNotAllowed();
}

function checkPart(definition: ResourceDefinition, version: VersionDefinition, info: RequestInfo): Subresource {
  const part = subresourceOf({ definition, version, subresource: info.subresource });
  if (!part && isCustom(definition)) throw notFound(groupResourceOf({ definition }), info.name);
  if (!part || (info.parts.length > 3 && part.type !== 'connect')) throw unknownPath(definition);
  if (!part.verbs.includes(info.verb as Verb) && !takesAllMethods(definition, info))
    throw wrongMethod(definition, info);
  return part;
}

type FindRoute = (method: string, info: RequestInfo) => Route;

/**
 * Returns the 404 for a resource that a group does not serve: a Status if the group has a built-in kind, plain text otherwise.
 * as apiserver/pkg/server/handler.go director.ServeHTTP: only built-in groups have a router of their own.
 */
export function unknownInGroup(catalogue: Catalogue): (group: string) => Error {
  let generation = -1;
  let builtIn = new Set<string>();
  return group => {
    if (catalogue.generation !== generation) {
      generation = catalogue.generation;
      builtIn = new Set([...catalogue.all()].flatMap(definition => (isCustom(definition) ? [] : [definition.group])));
    }
    return builtIn.has(group) ? pathNotFound() : pageNotFound();
  };
}

/** hot: routes are found once and cached until the catalogue changes. */
export function routes(catalogue: Catalogue, metrics: ServerMetrics['route']): FindRoute {
  let generation = -1;
  const known = new KnownRoutes<Route>();
  const unknown = unknownInGroup(catalogue);

  const renew = (): void => {
    generation = catalogue.generation;
    known.clear();
  };

  const find = (method: string, info: RequestInfo): Route => {
    const { group, version: name, resource } = info;
    const definition = catalogue.find({ group, version: name, resource });
    const version = definition?.versions.find(v => v.name === name);
    if (!definition || !version) throw unknown(group);
    if (!fitsScope(definition, info)) throw unknownPath(definition);
    if (info.verbInPath) checkVerbInPath(method, definition, info);
    if (method === 'HEAD' && !takesAllMethods(definition, info)) throw wrongMethod(definition, info);
    let part: Subresource | undefined;
    if (info.parts.length > 2) part = checkPart(definition, version, info);
    else checkMain(definition, info);
    const storageGroup = definition.storageGroup ?? group;
    const labels = labelsOf(info);
    // Deprecated versions are marked without the release that removes them.
    const removedIn = version.deprecation === undefined ? undefined : '';
    let applyMetrics: RequestMetrics | undefined;
    return {
      definition,
      version,
      verb: info.verb as Verb,
      part,
      converts: name !== definition.storageVersion || storageGroup !== group,
      apiVersion: apiVersionOf({ group, version: name }),
      metrics: metrics(labels, removedIn),
      applyMetrics: () => (applyMetrics ??= metrics({ ...labels, verb: 'APPLY' }, removedIn)),
    };
  };

  return (method, info) => {
    if (catalogue.generation !== generation) renew();
    let route = known.get(method, info);
    if (route === undefined) known.add(method, info, (route = find(method, info)));
    return route;
  };
}
