/**
 * Compiles the expressions of admission: match conditions of webhooks, and all expressions of policies. as apiserver/pkg/admission/plugin/cel
 * compile.go
 */
import { type Compiled, type Environment, compile, environmentOf } from '../../../../openapi/cel/environment.js';
import * as t from '../../../../lib/cel/types.js';
import { authorizerLibrary, authorizerType, resourceCheckType } from './authorizer.js';
import { jsonPatchLibrary, structType } from './patch-types.js';

/** Returns a type with known fields. */
function record(name: string, fields: Readonly<Record<string, t.Type>>): t.Type {
  const known = new Map(Object.entries(fields));
  return { kind: 'object', name: `kubernetes.${name}`, field: field => known.get(field) };
}

const strings = t.list(t.string);
const labels = t.map(t.string, t.string);

const gvk = record('GroupVersionKind', { group: t.string, version: t.string, kind: t.string });
const gvr = record('GroupVersionResource', { group: t.string, version: t.string, resource: t.string });

const requestType = record('AdmissionRequest', {
  ...{ kind: gvk, resource: gvr, subResource: t.string },
  ...{ requestKind: gvk, requestResource: gvr, requestSubResource: t.string },
  ...{ name: t.string, namespace: t.string, operation: t.string, dryRun: t.bool, options: t.dyn },
  userInfo: record('UserInfo', {
    ...{ username: t.string, uid: t.string, groups: strings },
    extra: t.map(t.string, strings),
  }),
});

const namespaceType = record('Namespace', {
  metadata: record('NamespaceMetadata', {
    ...{ name: t.string, generateName: t.string, namespace: t.string, labels, annotations: labels, UID: t.string },
    ...{ creationTimestamp: t.timestamp, deletionGracePeriodSeconds: t.int, deletionTimestamp: t.timestamp },
    ...{ generation: t.int, resourceVersion: t.string, finalizers: strings },
  }),
  spec: record('NamespaceSpec', { finalizers: strings }),
  status: record('NamespaceStatus', {
    conditions: t.list(
      record('NamespaceCondition', {
        ...{ status: t.string, type: t.string, lastTransitionTime: t.timestamp, message: t.string, reason: t.string },
      }),
    ),
    phase: t.string,
  }),
});

const environment = environmentOf(authorizerLibrary);
const patchEnvironment: Environment = {
  ...environmentOf(authorizerLibrary, jsonPatchLibrary),
  structs: structType,
};

/** What an expression can refer to, in addition to what every expression has. */
export interface Scope {
  /** Whether there are parameters. */
  readonly params: boolean;
  /** Whether expressions can check rights. */
  readonly authorizer: boolean;
  /** The types of the policy's own variables, as far as they are compiled. */
  readonly variables?: ReadonlyMap<string, t.Type>;
  /** Whether expressions can construct objects and JSON patches. */
  readonly patches?: boolean;
}

function namesOf({ params, authorizer, variables }: Scope): Map<string, t.Type> {
  const names = new Map<string, t.Type>([
    ['object', t.dyn],
    ['oldObject', t.dyn],
    ['namespaceObject', namespaceType],
    ['request', requestType],
  ]);
  if (params) names.set('params', t.dyn);
  if (authorizer) names.set('authorizer', authorizerType).set('authorizer.requestResource', resourceCheckType);
  if (variables) names.set('variables', { kind: 'object', name: 'kubernetes.variables', field: n => variables.get(n) });
  return names;
}

/** Returns a type as Go prints it: `list(string)`, `null_type`. */
function shown(type: t.Type): string {
  switch (type.kind) {
    case 'list':
    case 'optional':
      return `${t.typeName(type)}(${shown(type.item)})`;
    case 'map':
      return `map(${shown(type.key)}, ${shown(type.value)})`;
    case 'type':
      return t.typeText(type);
    default:
      return t.typeName(type);
  }
}

/** What is wrong with an expression; `internal`: it is not the author's fault. */
interface ExpressionFault {
  readonly error: string;
  readonly internal: boolean;
}

const wrong = (error: string, internal = false): ExpressionFault => ({ error, internal });

/** Compiles an expression whose value must have one of the types; with none, any type. */
export function compileExpression(source: string, scope: Scope, wanted: readonly t.Type[]): Compiled | ExpressionFault {
  const compiled = compile(source, namesOf(scope), scope.patches ? patchEnvironment : environment);
  if ('issues' in compiled) return wrong(`compilation failed: ${compiled.issues}`);
  if ('instantiation' in compiled) return wrong(`program instantiation failed: ${compiled.instantiation}`, true);
  if (wanted.length === 0 || wanted.some(type => t.identical(type, compiled.type))) return compiled;
  const texts = wanted.map(shown);
  const choice = texts.length === 1 ? texts.join('') : `one of [${texts.join(' ')}]`;
  return wrong(`must evaluate to ${choice} but got ${shown(compiled.type)}`);
}

/** The types that expressions refer to. */
export interface TypedScope {
  /** The type of the object, before and after. */
  readonly object: t.Type;
  /** Undefined if there are no parameters. */
  readonly params: t.Type | undefined;
  readonly variables: ReadonlyMap<string, t.Type>;
}

/** Returns the type of an expression, or what is wrong with it. */
export function checkTypes(source: string, { object, params, variables }: TypedScope): t.Type | string {
  const names = namesOf({ params: params !== undefined, authorizer: true, variables });
  names.set('object', object).set('oldObject', object);
  if (params) names.set('params', params);
  const compiled = compile(source, names, environment);
  if ('issues' in compiled) return compiled.issues;
  return 'instantiation' in compiled ? t.dyn : compiled.type;
}
