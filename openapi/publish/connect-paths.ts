import { nativeResources, type NativeSubresource } from '../facts/resources.js';
import type { DiscoveredSubresource } from './discovery.js';
import { camelCase, inPath, query, type Method, type OperationSpec, type Parameter } from './operation.js';
import { nameParameters, type Operations, type OperationContext } from './resource-operations.js';

let native: Map<string, NativeSubresource> | undefined;

function connectParameters({ served: { resource, version } }: OperationContext, name: string): Parameter[] {
  native ??= new Map(
    nativeResources().flatMap(r => r.subresources.map(s => [`${r.group}/${r.version}/${r.plural}/${s.name}`, s])),
  );
  const facts = native.get(`${resource.group}/${version.name}/${resource.plural}/${name}`);
  return (facts?.parameters ?? []).map(p => query(p.name, p.type));
}

/** Returns the operation of a subresource that is a text: `pods/log`. */
export function textOperation(context: OperationContext, sub: DiscoveredSubresource, suffix: string): OperationSpec {
  return {
    id: `read${context.id}${context.scope}${context.kind.kind}${suffix}`,
    tag: context.tag,
    action: 'get',
    kind: sub.kind,
    parameters: [...nameParameters(context), ...connectParameters(context, sub.name)],
    responses: { 200: { types: ['text/plain', ...context.dialect.objectTypes], schema: { type: 'string' } } },
  };
}

const connectMethods: Readonly<Record<string, readonly Method[]>> = {
  create: ['post'],
  delete: ['delete'],
  get: ['get'],
  patch: ['patch'],
  // A connection with the verb update accepts any method: HEAD and OPTIONS have no verbs.
  update: ['put', 'head', 'options'],
};

/** Returns the paths of a subresource that is a connection. One with any method also has all paths below it. */
export function connections(
  context: OperationContext,
  path: string,
  sub: DiscoveredSubresource,
): [string, Operations][] {
  const methods = sub.verbs.flatMap(verb => connectMethods[verb] ?? []).sort();
  const parameters = [...nameParameters(context), ...connectParameters(context, sub.name)];
  const name = `${context.scope}${context.kind.kind}${camelCase(sub.name, 'upper')}`;
  const connect = (method: Method, suffix: string, more: readonly Parameter[]): OperationSpec => ({
    id: `connect${context.id}${camelCase(method, 'upper')}${name}${suffix}`,
    tag: context.tag,
    action: 'connect',
    kind: sub.kind,
    parameters: [...parameters, ...more],
    responses: { 200: { types: ['*/*'], schema: { type: 'string' } } },
  });
  const all = (suffix: string, more: readonly Parameter[]): Operations =>
    Object.fromEntries(methods.map(method => [method, connect(method, suffix, more)]));
  if (!methods.includes('put')) return [[path, all('', [])]];
  return [
    [path, all('', [])],
    [`${path}/{path}`, all('WithPath', [{ ...inPath('path'), description: 'path to the resource' }])],
  ];
}
