import type { GroupVersionKind, JsonObject } from '../../apimachinery/interface.js';
import type { Dialect } from './dialect.js';
import type { ServedResource } from './group-versions.js';
import { inPath, type Method, type OperationSpec, type Parameter } from './operation.js';

/** Refers to a component, and sees to it that the document has it. */
export type Reference = (componentName: string) => JsonObject;

export type Operations = Partial<Record<Method, OperationSpec>>;

/** A resource, as the operations of its paths see it. */
export interface Place {
  readonly served: ServedResource;
  readonly dialect: Dialect;
  readonly refer: Reference;
  readonly id: string;
  readonly tag: string;
  /** `Namespaced` in ids. */
  readonly scope: '' | 'Namespaced';
  readonly kind: GroupVersionKind;
  readonly pretty: Parameter;
}

export const namespaceParameter = ({ scope }: Place): Parameter[] => (scope === '' ? [] : [inPath('namespace')]);
export const nameParameters = (place: Place): Parameter[] => [inPath('name'), ...namespaceParameter(place)];

/** An operation on objects. */
export interface Call {
  readonly id: string;
  readonly action: string;
  readonly kind: GroupVersionKind;
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly types: readonly string[]; readonly component: string; readonly required: boolean };
  /** Codes -> component. */
  readonly answers: Readonly<Record<number, string>>;
  readonly types?: readonly string[];
}

export function call(place: Place, { id, action, kind, parameters, body, answers, types }: Call): OperationSpec {
  const responses = Object.entries(answers).map(
    ([code, component]) =>
      [Number(code), { types: types ?? place.dialect.objectTypes, schema: place.refer(component) }] as const,
  );
  return {
    id,
    tag: place.tag,
    action,
    kind,
    parameters: [place.pretty, ...parameters],
    ...(body && { body: { types: body.types, schema: place.refer(body.component), required: body.required } }),
    responses: Object.fromEntries(responses),
  };
}
