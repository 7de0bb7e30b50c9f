/** Checks the expressions of a ValidatingAdmissionPolicy against the types of the objects that it matches. */
// as apiserver/pkg/admission/plugin/policy/validating typechecking.go
import type { GroupVersionKind } from '../../apimachinery/interface.js';
import { gvkText, readApiVersion } from '../../apimachinery/meta/gvk.js';
import { declare } from '../../openapi/schema/expressions/cel-types.js';
import type { Type } from '../../lib/cel/types.js';
import { dyn } from '../../lib/cel/types.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import type { Catalogue, ResourceDefinition } from '../../registry/interface.js';
import type {
  ExpressionWarning,
  RuleWithOperations,
  ValidatingAdmissionPolicySpec,
} from '../../api/kubernetes/admissionregistration.js';
import { type TypedScope, checkTypes } from '../../kinds/kubernetes/admissionregistration/expressions/compile.js';

const maxTypes = 10;

/** Schemas of the scalars of native kinds for expressions. */
const scalars: Readonly<Record<string, Schema>> = {
  quantity: { 'x-kubernetes-int-or-string': true },
  intOrString: { 'x-kubernetes-int-or-string': true },
  rawExtension: { type: 'object' },
  json: { type: 'object' },
  fieldsV1: { type: 'object' },
};

/** Returns a schema without extensions of native kinds; a recursive type becomes an object without fields. */
function plain(schema: Schema, enclosing: readonly (Schema | string)[] = []): Schema {
  const scalar = schema.scalar === undefined ? undefined : scalars[schema.scalar];
  if (scalar) return scalar;
  const name = schema.typeName ?? schema;
  if (enclosing.includes(name)) return { type: 'object' };
  const path = [...enclosing, name];
  const { properties, items, additionalProperties: more } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, field]) => [key, plain(field, path)])),
    }),
    ...(items && { items: plain(items, path) }),
    ...(typeof more === 'object' && { additionalProperties: plain(more, path) }),
  };
}

const types = new WeakMap<Schema, Type>();

function typeOf({ versions }: ResourceDefinition, version: string): Type | undefined {
  const schema = versions.find(({ name }) => name === version)?.schema;
  if (!schema) return undefined;
  const type = types.get(schema) ?? declare(plain(schema), true)?.type ?? dyn;
  types.set(schema, type);
  return type;
}

/** Returns the sorted entries; none if one of them has a wildcard. */
const withoutWildcards = (list: readonly string[] | undefined): readonly string[] =>
  list?.some(item => item.includes('*')) ? [] : [...(list ?? [])].sort();

/** Returns the kinds that rules name explicitly, without wildcards. */
function kindsOf(rules: readonly RuleWithOperations[], catalogue: Catalogue): readonly GroupVersionKind[] {
  const found = new Map<string, GroupVersionKind>();
  for (const rule of rules) {
    const kinds = kindsOfRule(rule, catalogue);
    for (const kind of kinds) found.set(gvkText(kind), kind);
    if (kinds.length === maxTypes) break;
  }
  const key = ({ group, version, kind }: GroupVersionKind): string => `${group}\u0000${version}\u0000${kind}`;
  return [...found.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Returns the first `maxTypes` served kinds of one rule, whose lists may be long. */
function kindsOfRule(
  { apiGroups, apiVersions, resources }: RuleWithOperations,
  catalogue: Catalogue,
): GroupVersionKind[] {
  const [groups, versions, plurals] = [
    new Set(withoutWildcards(apiGroups)),
    new Set(withoutWildcards(apiVersions)),
    new Set(resources),
  ];
  const served = [...catalogue.all()]
    .filter(({ group, plural }) => groups.has(group) && plurals.has(plural))
    .flatMap(({ group, plural, kind, versions: all }) =>
      all.filter(({ name, served: is }) => is && versions.has(name)).map(({ name }) => ({ group, name, plural, kind })),
    );
  const key = ({ group, name, plural }: (typeof served)[number]): string => `${group}\u0000${name}\u0000${plural}`;
  served.sort((a, b) => (key(a) < key(b) ? -1 : 1));
  return served.slice(0, maxTypes).map(({ group, name, kind }) => ({ group, version: name, kind }));
}

interface Subject {
  readonly kind: GroupVersionKind;
  /** Types of the expression's variables. */
  readonly scope: TypedScope;
}

function subjectsOf(spec: ValidatingAdmissionPolicySpec, catalogue: Catalogue): readonly Subject[] {
  const { apiVersion = '', kind: paramKind = '' } = spec.paramKind ?? {};
  const { group = '', version = '' } = readApiVersion(apiVersion) ?? {};
  const param = spec.paramKind && catalogue.forKind({ group, version, kind: paramKind });
  const params = spec.paramKind && ((param && typeOf(param, version)) ?? dyn);
  return kindsOf(spec.matchConstraints?.resourceRules ?? [], catalogue).flatMap(kind => {
    const definition = catalogue.forKind(kind);
    const object = definition && typeOf(definition, kind.version);
    return object ? [{ kind, scope: { object, params, variables: variableTypes(spec, object, params) } }] : [];
  });
}

/** Returns the warnings with the field of each expression, such as `spec.validations[0].expression`. */
export function typeWarnings(spec: ValidatingAdmissionPolicySpec, catalogue: Catalogue): readonly ExpressionWarning[] {
  const subjects = subjectsOf(spec, catalogue);
  const check = (fieldRef: string, expression: string): readonly ExpressionWarning[] => {
    const texts = subjects.flatMap(({ kind, scope }) => {
      const issues = checkTypes(expression, scope);
      return typeof issues === 'string' ? [`${gvkText(kind)}: ${issues}\n`] : [];
    });
    return texts.length === 0 ? [] : [{ fieldRef, warning: texts.join('\n') }];
  };
  return (spec.validations ?? []).flatMap(({ expression = '', messageExpression = '' }, i) => [
    ...check(`spec.validations[${i}].expression`, expression),
    ...(messageExpression === '' ? [] : check(`spec.validations[${i}].messageExpression`, messageExpression)),
  ]);
}

/** Returns the types of the variables; each may refer to those before it. */
function variableTypes(
  { variables = [] }: ValidatingAdmissionPolicySpec,
  object: Type,
  params: Type | undefined,
): ReadonlyMap<string, Type> {
  const known = new Map<string, Type>();
  for (const { name = '', expression = '' } of variables) {
    const checked = checkTypes(expression, { object, params, variables: known });
    known.set(name, typeof checked === 'string' ? dyn : checked);
  }
  return known;
}
