import type { GroupVersionKind, JsonObject } from '../../apimachinery/interface.js';
import type { Dialect } from './dialect.js';
import type { ServedResource } from './group-versions.js';
import { inPath, type Method, type OperationSpec, type Parameter } from './operation.js';

/** Returns a reference to a component, and adds the component to the document. */
export type Reference = (componentName: string) => JsonObject;

export type Operations = Partial<Record<Method, OperationSpec>>;

/** The resource and the document of operations. */
export interface OperationContext {
  readonly served: ServedResource;
  readonly dialect: Dialect;
  readonly refer: Reference;
  readonly id: string;
  readonly tag: string;
  /** Part of the ids. */
  readonly scope: '' | 'Namespaced';
  readonly kind: GroupVersionKind;
  readonly pretty: Parameter;
}

/** Describes the namespace in the path; empty for a path without one. */
export const namespaceParameter = ({ scope }: OperationContext): Parameter[] =>
  scope === '' ? [] : [inPath('namespace')];

/** Describes the name in the path, and the namespace before it. */
export const nameParameters = (context: OperationContext): Parameter[] => [
  inPath('name'),
  ...namespaceParameter(context),
];

/** An operation on objects. */
interface ObjectOperation {
  readonly id: string;
  readonly action: string;
  readonly kind: GroupVersionKind;
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly types: readonly string[]; readonly component: string; readonly required: boolean };
  /** Code -> component. */
  readonly answers: Readonly<Record<number, string>>;
  readonly types?: readonly string[];
}

/** Returns the operation, with the schemas of its bodies. */
export function objectOperation(
  context: OperationContext,
  { id, action, kind, parameters, body, answers, types }: ObjectOperation,
): OperationSpec {
  const responses = Object.entries(answers).map(
    ([code, component]) =>
      [Number(code), { types: types ?? context.dialect.objectTypes, schema: context.refer(component) }] as const,
  );
  return {
    id,
    tag: context.tag,
    action,
    kind,
    parameters: [context.pretty, ...parameters],
    ...(body && { body: { types: body.types, schema: context.refer(body.component), required: body.required } }),
    responses: Object.fromEntries(responses),
  };
}
