import type { GroupVersionKind, JsonObject } from '../../apimachinery/interface.js';
import { componentName, listKind, metaType, ownKind } from './component-names.js';
import { connections, text } from './connect-paths.js';
import { deleteParameters, dialectOf, listParameters, patchParameters, writeParameters } from './dialect.js';
import { discoveredSubresources, type DiscoveredSubresource } from './discovery.js';
import type { Descriptions } from './interface.js';
import type { ServedResource } from './group-versions.js';
import { camelCase, groupVersionNames, pathItem, query, type OperationSpec, type Parameter } from './operation.js';
import { call, nameParameters, namespaceParameter, type Operations, type Place, type Reference } from './place.js';

/** The path of a group-version. */
export const groupVersionPath = (group: string, version: string): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`;

/** The paths of a resource and its subresources, with their operations. */
export function resourcePaths(
  served: ServedResource,
  refer: Reference,
  describeParameter: Descriptions['describeParameter'],
): JsonObject {
  const { resource, version } = served;
  const place: Place = {
    served,
    dialect: dialectOf(resource),
    refer,
    ...groupVersionNames(resource.group, version.name),
    scope: resource.namespaced ? 'Namespaced' : '',
    kind: ownKind(served),
    pretty: query('pretty', 'string'),
  };
  const root = groupVersionPath(resource.group, version.name);
  const within = resource.namespaced ? `/namespaces/{namespace}/${resource.plural}` : `/${resource.plural}`;
  const paths: [string, Operations][] = [
    [root + within, collection(place)],
    [`${root}${within}/{name}`, item(place)],
    ...discoveredSubresources(served).flatMap(sub => subresource(place, `${root}${within}/{name}/${sub.name}`, sub)),
  ];
  if (resource.namespaced) paths.push([`${root}/${resource.plural}`, everywhere(place)]);
  if (place.dialect.watchPaths && resource.verbs.includes('watch')) paths.push(...watches(place, root, within));
  return Object.fromEntries(
    paths
      .filter(([, operations]) => Object.keys(operations).length)
      .map(([path, operations]) => [path, pathItem(operations, describeParameter)]),
  );
}

const deleteBody = ({ dialect }: Place) => ({
  types: dialect.bodyTypes,
  component: metaType('DeleteOptions'),
  required: false,
});

function collection(place: Place): Operations {
  const { served, dialect, kind } = place;
  const name = `${place.id}${place.scope}${kind.kind}`;
  const verbs = new Set(served.resource.verbs);
  const body = componentName(kind);
  const parameters = namespaceParameter(place);
  return {
    ...(verbs.has('list') && { get: list(place, `list${name}`, parameters) }),
    ...(verbs.has('create') && {
      post: create(place, `create${name}`, kind, [...parameters, ...writeParameters], body),
    }),
    ...(verbs.has('deletecollection') && {
      delete: call(place, {
        id: `delete${place.id}Collection${place.scope}${kind.kind}`,
        action: 'deletecollection',
        kind,
        parameters: [...parameters, ...dialect.deleteCollectionParameters],
        ...(dialect.complete && { body: deleteBody(place) }),
        answers: { 200: metaType('Status') },
      }),
    }),
  };
}

function list(place: Place, id: string, parameters: readonly Parameter[]): OperationSpec {
  return call(place, {
    id,
    action: 'list',
    kind: place.kind,
    parameters: [...parameters, ...listParameters],
    answers: { 200: componentName(listKind(place.served)) },
    types: place.dialect.listTypes,
  });
}

function create(place: Place, id: string, kind: GroupVersionKind, parameters: readonly Parameter[], body: string) {
  return call(place, {
    id,
    action: 'post',
    kind,
    parameters,
    body: { types: place.dialect.bodyTypes, component: body, required: true },
    answers: { 200: body, 201: body, 202: body },
  });
}

function everywhere(place: Place): Operations {
  if (!place.served.resource.verbs.includes('list')) return {};
  return { get: list(place, `list${place.id}${place.kind.kind}ForAllNamespaces`, []) };
}

/** GET, PUT and PATCH of an object, or of a part of it. `suffix`: of the ids. */
function part(place: Place, verbs: ReadonlySet<string>, kind: GroupVersionKind, suffix: string): Operations {
  const { dialect } = place;
  const name = `${place.id}${place.scope}${place.kind.kind}${suffix}`;
  const body = componentName(kind);
  const own = nameParameters(place);
  // Custom resources say their own kind even for their scale.
  const said = dialect.complete ? kind : place.kind;
  return {
    ...(verbs.has('get') && {
      get: call(place, {
        id: `read${name}`,
        action: 'get',
        kind: said,
        parameters: [...own, ...dialect.getParameters],
        answers: { 200: body },
      }),
    }),
    ...(verbs.has('update') && {
      put: call(place, {
        id: `replace${name}`,
        action: 'put',
        kind: said,
        parameters: [...own, ...writeParameters],
        body: { types: dialect.bodyTypes, component: body, required: true },
        answers: { 200: body, 201: body },
      }),
    }),
    ...(verbs.has('patch') && {
      patch: call(place, {
        id: `patch${name}`,
        action: 'patch',
        kind: said,
        parameters: [...own, ...patchParameters],
        body: { types: dialect.patchTypes, component: metaType('Patch'), required: true },
        answers: { 200: body, ...(dialect.complete && { 201: body }) },
      }),
    }),
  };
}

function item(place: Place): Operations {
  const { resource } = place.served;
  const verbs = new Set(resource.verbs);
  const operations = part(place, verbs, place.kind, '');
  if (!verbs.has('delete')) return operations;
  // What is finalized by an endpoint of its own says Status, whatever it answers (namespaces).
  const returned = resource.strategy.returnsDeleted && !('finalize' in resource.subresources);
  const answer = returned ? componentName(place.kind) : metaType('Status');
  return {
    ...operations,
    delete: call(place, {
      id: `delete${place.id}${place.scope}${place.kind.kind}`,
      action: 'delete',
      kind: place.kind,
      parameters: [...nameParameters(place), ...deleteParameters],
      body: deleteBody(place),
      answers: { 200: answer, 202: answer },
    }),
  };
}

function watches(place: Place, root: string, within: string): [string, Operations][] {
  const { served, kind } = place;
  const watch = (id: string, action: string, parameters: readonly Parameter[]): Operations => ({
    get: call(place, {
      id: `watch${place.id}${id}`,
      action,
      kind,
      parameters: [...parameters, ...listParameters],
      answers: { 200: metaType('WatchEvent') },
      types: place.dialect.listTypes,
    }),
  });
  const scoped = `${place.scope}${kind.kind}`;
  const paths: [string, Operations][] = [
    [`${root}/watch${within}`, watch(`${scoped}List`, 'watchlist', namespaceParameter(place))],
    [`${root}/watch${within}/{name}`, watch(scoped, 'watch', nameParameters(place))],
  ];
  if (served.resource.namespaced)
    paths.push([`${root}/watch/${served.resource.plural}`, watch(`${kind.kind}ListForAllNamespaces`, 'watchlist', [])]);
  return paths;
}

function subresource(place: Place, path: string, sub: DiscoveredSubresource): [string, Operations][] {
  const suffix = camelCase(sub.name, 'upper');
  switch (sub.type) {
    case 'part':
    case 'scale':
      return [[path, part(place, new Set(sub.verbs), sub.kind, suffix)]];
    case 'action': {
      const id = `create${place.id}${place.scope}${place.kind.kind}${suffix}`;
      const parameters = [...nameParameters(place), ...writeParameters];
      return [[path, { post: create(place, id, sub.kind, parameters, componentName(sub.kind)) }]];
    }
    case 'connect':
      return sub.kind.kind === place.kind.kind
        ? [[path, { get: text(place, sub, suffix) }]]
        : connections(place, path, sub);
  }
}
