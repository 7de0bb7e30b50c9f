import type { GroupVersionKind, JsonObject } from '../../apimachinery/interface.js';
import { componentName, listKind, metaType, ownKind } from './component-names.js';
import { connections, textOperation } from './connect-paths.js';
import { deleteParameters, dialectOf, listParameterDocuments, patchParameters, writeParameters } from './dialect.js';
import { discoveredSubresources, type DiscoveredSubresource } from './discovery.js';
import type { Descriptions } from './interface.js';
import type { ServedResource } from './group-versions.js';
import { camelCase, groupVersionNames, pathItem, query, type OperationSpec, type Parameter } from './operation.js';
import {
  objectOperation,
  nameParameters,
  namespaceParameter,
  type Operations,
  type OperationContext,
  type Reference,
} from './resource-operations.js';

/** Returns the path of a group-version. */
export const groupVersionPath = (group: string, version: string): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`;

/** Returns the paths of a resource and its subresources, with their operations. */
export function resourcePaths(
  served: ServedResource,
  refer: Reference,
  describeParameter: Descriptions['describeParameter'],
): JsonObject {
  const { resource, version } = served;
  const context: OperationContext = {
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
    [root + within, collection(context)],
    [`${root}${within}/{name}`, item(context)],
    ...discoveredSubresources(served).flatMap(sub => subresource(context, `${root}${within}/{name}/${sub.name}`, sub)),
  ];
  if (resource.namespaced) paths.push([`${root}/${resource.plural}`, everywhere(context)]);
  if (context.dialect.watchPaths && resource.verbs.includes('watch')) paths.push(...watches(context, root, within));
  return Object.fromEntries(
    paths
      .filter(([, operations]) => Object.keys(operations).length)
      .map(([path, operations]) => [path, pathItem(operations, describeParameter)]),
  );
}

const deleteBody = ({ dialect }: OperationContext) => ({
  types: dialect.bodyTypes,
  component: metaType('DeleteOptions'),
  required: false,
});

function collection(context: OperationContext): Operations {
  const { served, dialect, kind } = context;
  const name = `${context.id}${context.scope}${kind.kind}`;
  const verbs = new Set(served.resource.verbs);
  const body = componentName(kind);
  const parameters = namespaceParameter(context);
  return {
    ...(verbs.has('list') && { get: list(context, `list${name}`, parameters) }),
    ...(verbs.has('create') && {
      post: create(context, `create${name}`, kind, [...parameters, ...writeParameters], body),
    }),
    ...(verbs.has('deletecollection') && {
      delete: objectOperation(context, {
        id: `delete${context.id}Collection${context.scope}${kind.kind}`,
        action: 'deletecollection',
        kind,
        parameters: [...parameters, ...dialect.deleteCollectionParameters],
        ...(dialect.complete && { body: deleteBody(context) }),
        answers: { 200: metaType('Status') },
      }),
    }),
  };
}

function list(context: OperationContext, id: string, parameters: readonly Parameter[]): OperationSpec {
  return objectOperation(context, {
    id,
    action: 'list',
    kind: context.kind,
    parameters: [...parameters, ...listParameterDocuments],
    answers: { 200: componentName(listKind(context.served)) },
    types: context.dialect.listTypes,
  });
}

function create(
  context: OperationContext,
  id: string,
  kind: GroupVersionKind,
  parameters: readonly Parameter[],
  body: string,
) {
  return objectOperation(context, {
    id,
    action: 'post',
    kind,
    parameters,
    body: { types: context.dialect.bodyTypes, component: body, required: true },
    answers: { 200: body, 201: body, 202: body },
  });
}

function everywhere(context: OperationContext): Operations {
  if (!context.served.resource.verbs.includes('list')) return {};
  return { get: list(context, `list${context.id}${context.kind.kind}ForAllNamespaces`, []) };
}

/** Returns GET, PUT and PATCH of an object or of a subresource. `suffix` is the end of the ids. */
function part(
  context: OperationContext,
  verbs: ReadonlySet<string>,
  kind: GroupVersionKind,
  suffix: string,
): Operations {
  const { dialect } = context;
  const name = `${context.id}${context.scope}${context.kind.kind}${suffix}`;
  const body = componentName(kind);
  const pathParameters = nameParameters(context);
  // The scale of a custom resource has the kind of the resource, as upstream.
  const publishedKind = dialect.complete ? kind : context.kind;
  return {
    ...(verbs.has('get') && {
      get: objectOperation(context, {
        id: `read${name}`,
        action: 'get',
        kind: publishedKind,
        parameters: [...pathParameters, ...dialect.getParameters],
        answers: { 200: body },
      }),
    }),
    ...(verbs.has('update') && {
      put: objectOperation(context, {
        id: `replace${name}`,
        action: 'put',
        kind: publishedKind,
        parameters: [...pathParameters, ...writeParameters],
        body: { types: dialect.bodyTypes, component: body, required: true },
        answers: { 200: body, 201: body },
      }),
    }),
    ...(verbs.has('patch') && {
      patch: objectOperation(context, {
        id: `patch${name}`,
        action: 'patch',
        kind: publishedKind,
        parameters: [...pathParameters, ...patchParameters],
        body: { types: dialect.patchTypes, component: metaType('Patch'), required: true },
        answers: { 200: body, ...(dialect.complete && { 201: body }) },
      }),
    }),
  };
}

function item(context: OperationContext): Operations {
  const { resource } = context.served;
  const verbs = new Set(resource.verbs);
  const operations = part(context, verbs, context.kind, '');
  if (!verbs.has('delete')) return operations;
  // Namespaces, which have the subresource finalize, are documented with Status, although the response is the object.
  const returned = resource.strategy.returnsDeleted && !('finalize' in resource.subresources);
  const answer = returned ? componentName(context.kind) : metaType('Status');
  return {
    ...operations,
    delete: objectOperation(context, {
      id: `delete${context.id}${context.scope}${context.kind.kind}`,
      action: 'delete',
      kind: context.kind,
      parameters: [...nameParameters(context), ...deleteParameters],
      body: deleteBody(context),
      answers: { 200: answer, 202: answer },
    }),
  };
}

function watches(context: OperationContext, root: string, within: string): [string, Operations][] {
  const { served, kind } = context;
  const watch = (id: string, action: string, parameters: readonly Parameter[]): Operations => ({
    get: objectOperation(context, {
      id: `watch${context.id}${id}`,
      action,
      kind,
      parameters: [...parameters, ...listParameterDocuments],
      answers: { 200: metaType('WatchEvent') },
      types: context.dialect.listTypes,
    }),
  });
  const scoped = `${context.scope}${kind.kind}`;
  const paths: [string, Operations][] = [
    [`${root}/watch${within}`, watch(`${scoped}List`, 'watchlist', namespaceParameter(context))],
    [`${root}/watch${within}/{name}`, watch(scoped, 'watch', nameParameters(context))],
  ];
  if (served.resource.namespaced)
    paths.push([`${root}/watch/${served.resource.plural}`, watch(`${kind.kind}ListForAllNamespaces`, 'watchlist', [])]);
  return paths;
}

function subresource(context: OperationContext, path: string, sub: DiscoveredSubresource): [string, Operations][] {
  const suffix = camelCase(sub.name, 'upper');
  switch (sub.type) {
    case 'part':
    case 'scale':
      return [[path, part(context, new Set(sub.verbs), sub.kind, suffix)]];
    case 'action': {
      const id = `create${context.id}${context.scope}${context.kind.kind}${suffix}`;
      const parameters = [...nameParameters(context), ...writeParameters];
      return [[path, { post: create(context, id, sub.kind, parameters, componentName(sub.kind)) }]];
    }
    case 'connect':
      return sub.kind.kind === context.kind.kind
        ? [[path, { get: textOperation(context, sub, suffix) }]]
        : connections(context, path, sub);
  }
}
