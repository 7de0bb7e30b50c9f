import type { GroupVersionKind, JsonObject } from '../../apimachinery/interface.js';
import type { Descriptions } from './interface.js';

export type Method = 'get' | 'put' | 'post' | 'delete' | 'patch' | 'head' | 'options';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: true;
  readonly description?: string;
  readonly schema: { readonly type: string; readonly uniqueItems: true };
}

/** A request or response body with a schema, in several media types. */
export interface Body {
  readonly types: readonly string[];
  readonly schema: JsonObject;
}

export interface OperationSpec {
  readonly id: string;
  readonly tag: string;
  readonly action?: string;
  readonly kind?: GroupVersionKind;
  readonly parameters: readonly Parameter[];
  readonly body?: Body & { readonly required: boolean };
  /** All responses but 401. */
  readonly responses: Readonly<Record<number, Body>>;
}

const phrases: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted', 401: 'Unauthorized' };

/** Describes an optional parameter of the query. */
export const query = (name: string, type: string): Parameter => ({
  name,
  in: 'query',
  schema: { type, uniqueItems: true },
});

/** Describes a part of the path, which is required. */
export const inPath = (name: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string', uniqueItems: true },
});

const keyOf = (p: Parameter): string => `${p.name} ${p.in}`;

function sorted(parameters: readonly Parameter[]): Parameter[] {
  return [...parameters].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

const content = ({ types, schema }: Body): JsonObject => Object.fromEntries(types.map(type => [type, { schema }]));

function operation(spec: OperationSpec, common: ReadonlySet<string>): JsonObject {
  const parameters = sorted(spec.parameters.filter(p => !common.has(keyOf(p))));
  const responses = Object.entries(spec.responses).map(([code, body]) => [
    code,
    { description: phrases[Number(code)], content: content(body) },
  ]);
  return {
    tags: [spec.tag],
    operationId: spec.id,
    ...(parameters.length && { parameters }),
    ...(spec.body && {
      requestBody: { content: content(spec.body), ...(spec.body.required && { required: true }) },
    }),
    responses: Object.fromEntries([...responses, ['401', { description: phrases[401] }]]),
    ...(spec.action !== undefined && { 'x-kubernetes-action': spec.action }),
    ...(spec.kind && { 'x-kubernetes-group-version-kind': spec.kind }),
  };
}

/** Returns the parameter with its description. The name in a path is described with the kind of the operation. */
function described(parameter: Parameter, spec: OperationSpec, describe: Descriptions['describeParameter']): Parameter {
  const { name, in: location, ...others } = parameter;
  if (parameter.description !== undefined) return parameter;
  const isName = name === 'name' && location === 'path' && spec.kind;
  const description = isName ? `name of the ${spec.kind?.kind}` : describe?.(spec.id, name);
  return description === undefined ? parameter : { name, in: location, description, ...others };
}

/** Returns the item of a path. Parameters that all of its operations have are parameters of the path, as in upstream's documents. */
export function pathItem(
  given: Readonly<Partial<Record<Method, OperationSpec>>>,
  describe?: Descriptions['describeParameter'],
): JsonObject {
  const operations = Object.fromEntries(
    Object.entries(given).map(([method, spec]) => [
      method,
      describe ? { ...spec, parameters: spec.parameters.map(p => described(p, spec, describe)) } : spec,
    ]),
  );
  const specs = Object.values(operations);
  const [first, ...others] = specs;
  const shared = (first?.parameters ?? []).filter(p =>
    others.every(other => other.parameters.some(o => keyOf(o) === keyOf(p))),
  );
  const common = new Set(shared.map(keyOf));
  return {
    ...Object.fromEntries(Object.entries(operations).map(([method, spec]) => [method, operation(spec, common)])),
    ...(shared.length && { parameters: sorted(shared) }),
  };
}

/** Returns the letters, digits and underscores of a text; a letter after any other character becomes a capital. */
// as apiserver/pkg/endpoints/openapi ToValidOperationID
export function camelCase(text: string, start: 'upper' | 'lower'): string {
  const joined = text.replaceAll(/[^\p{L}\p{Nd}_]+(.?)/gu, (_, next: string) => next.toUpperCase());
  return start === 'upper' ? joined.charAt(0).toUpperCase() + joined.slice(1) : joined;
}

/** Returns the names of a group-version for ids (`AppsV1`) and for tags (`apps_v1`). */
// as apiserver/pkg/endpoints/openapi GetOperationIDAndTags
export function groupVersionNames(group: string, version?: string): { readonly id: string; readonly tag: string } {
  const short = (group === '' ? 'core' : group).replace(/\.k8s\.io$/, '');
  const [id, tag] = [camelCase(short, 'upper'), camelCase(short, 'lower')];
  return version === undefined ? { id, tag } : { id: id + camelCase(version, 'upper'), tag: `${tag}_${version}` };
}
