import { nativeResources, type NativeSubresource } from '../facts/resources.js';
import type { DiscoveredSubresource } from './discovery.js';
import { camelCase, inPath, query, type Method, type OperationSpec, type Parameter } from './operation.js';
import { nameParameters, type Operations, type Place } from './place.js';

let native: Map<string, NativeSubresource> | undefined;

function connectParameters({ served: { resource, version } }: Place, name: string): Parameter[] {
  native ??= new Map(
    nativeResources().flatMap(r => r.subresources.map(s => [`${r.group}/${r.version}/${r.plural}/${s.name}`, s])),
  );
  const facts = native.get(`${resource.group}/${version.name}/${resource.plural}/${name}`);
  return (facts?.parameters ?? []).map(p => query(p.name, p.type));
}

/** A part of an object that is no object: `pods/log`. */
export function text(place: Place, sub: DiscoveredSubresource, suffix: string): OperationSpec {
  return {
    id: `read${place.id}${place.scope}${place.kind.kind}${suffix}`,
    tag: place.tag,
    action: 'get',
    kind: sub.kind,
    parameters: [...nameParameters(place), ...connectParameters(place, sub.name)],
    responses: { 200: { types: ['text/plain', ...place.dialect.objectTypes], schema: { type: 'string' } } },
  };
}

const connectMethods: Readonly<Record<string, readonly Method[]>> = {
  create: ['post'],
  delete: ['delete'],
  get: ['get'],
  patch: ['patch'],
  // What takes any method says so with update: HEAD and OPTIONS are no verbs.
  update: ['put', 'head', 'options'],
};

/** A path that hands the connection on; one that takes any method also takes any path below it. */
export function connections(place: Place, path: string, sub: DiscoveredSubresource): [string, Operations][] {
  const methods = sub.verbs.flatMap(verb => connectMethods[verb] ?? []).sort();
  const parameters = [...nameParameters(place), ...connectParameters(place, sub.name)];
  const name = `${place.scope}${place.kind.kind}${camelCase(sub.name, 'upper')}`;
  const connect = (method: Method, suffix: string, more: readonly Parameter[]): OperationSpec => ({
    id: `connect${place.id}${camelCase(method, 'upper')}${name}${suffix}`,
    tag: place.tag,
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
