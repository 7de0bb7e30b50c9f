/**
 * Formats values of definitions as kube-apiserver does in messages: as its internal types, with Go's names of fields, and including unset
 * fields.
 */
import { PrintedValue } from '../../apimachinery/errors/faults.js';
import { goJson, sortKeys } from '../../lib/go/go-text.js';
import type { ValidationRule } from '../../apimachinery/codec/interface.js';
import type { SchemaProps } from './schema-props.js';

type Form =
  'text' | 'flag' | 'optional' | 'value' | 'schemas' | 'schema' | 'named' | 'orBool' | 'orList' | 'orNames' | 'rules';

/** Go's name, the keyword, and the form of each field, in Go's order. */
export const internalFields: readonly (readonly [goName: string, keyword: keyof SchemaProps, form: Form])[] = [
  ['ID', 'id', 'text'],
  ['Schema', '$schema', 'text'],
  ['Ref', '$ref', 'optional'],
  ['Description', 'description', 'text'],
  ['Type', 'type', 'text'],
  ['Nullable', 'nullable', 'flag'],
  ['Format', 'format', 'text'],
  ['Title', 'title', 'text'],
  ['Default', 'default', 'value'],
  ['Maximum', 'maximum', 'optional'],
  ['ExclusiveMaximum', 'exclusiveMaximum', 'flag'],
  ['Minimum', 'minimum', 'optional'],
  ['ExclusiveMinimum', 'exclusiveMinimum', 'flag'],
  ['MaxLength', 'maxLength', 'optional'],
  ['MinLength', 'minLength', 'optional'],
  ['Pattern', 'pattern', 'text'],
  ['MaxItems', 'maxItems', 'optional'],
  ['MinItems', 'minItems', 'optional'],
  ['UniqueItems', 'uniqueItems', 'flag'],
  ['MultipleOf', 'multipleOf', 'optional'],
  ['Enum', 'enum', 'value'],
  ['MaxProperties', 'maxProperties', 'optional'],
  ['MinProperties', 'minProperties', 'optional'],
  ['Required', 'required', 'value'],
  ['Items', 'items', 'orList'],
  ['AllOf', 'allOf', 'schemas'],
  ['OneOf', 'oneOf', 'schemas'],
  ['AnyOf', 'anyOf', 'schemas'],
  ['Not', 'not', 'schema'],
  ['Properties', 'properties', 'named'],
  ['AdditionalProperties', 'additionalProperties', 'orBool'],
  ['PatternProperties', 'patternProperties', 'named'],
  ['Dependencies', 'dependencies', 'orNames'],
  ['AdditionalItems', 'additionalItems', 'orBool'],
  ['Definitions', 'definitions', 'named'],
  ['ExternalDocs', 'externalDocs', 'value'],
  ['Example', 'example', 'value'],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields', 'optional'],
  ['XEmbeddedResource', 'x-kubernetes-embedded-resource', 'flag'],
  ['XIntOrString', 'x-kubernetes-int-or-string', 'flag'],
  ['XListMapKeys', 'x-kubernetes-list-map-keys', 'value'],
  ['XListType', 'x-kubernetes-list-type', 'optional'],
  ['XMapType', 'x-kubernetes-map-type', 'optional'],
  ['XValidations', 'x-kubernetes-validations', 'rules'],
];

const ruleForm = (rule: ValidationRule): object => ({
  Rule: rule.rule,
  Message: rule.message ?? '',
  MessageExpression: rule.messageExpression ?? '',
  Reason: rule.reason ?? null,
  FieldPath: rule.fieldPath ?? '',
  OptionalOldSelf: rule.optionalOldSelf ?? null,
});

const mapOf = (value: unknown, make: (v: unknown) => unknown): object =>
  Object.fromEntries(
    Object.keys(value as object)
      .sort()
      .map(k => [k, make((value as Record<string, unknown>)[k])]),
  );

const forms: Readonly<Record<Form, (value: unknown) => unknown>> = {
  text: value => value ?? '',
  flag: value => value ?? false,
  optional: value => value ?? null,
  value: value => sortKeys(value ?? null),
  schema: value => (value === undefined ? null : schemaForm(value)),
  schemas: value => (value === undefined ? null : (value as SchemaProps[]).map(schemaForm)),
  named: value => (value === undefined ? null : mapOf(value, v => schemaForm(v as SchemaProps))),
  orBool: value =>
    value === undefined
      ? null
      : { Allows: value !== false, Schema: typeof value === 'object' ? schemaForm(value) : null },
  orList: value => {
    if (value === undefined) return null;
    if (Array.isArray(value)) return { Schema: null, JSONSchemas: (value as SchemaProps[]).map(schemaForm) };
    return { Schema: schemaForm(value), JSONSchemas: null };
  },
  orNames: value =>
    value === undefined
      ? null
      : mapOf(value, v =>
          Array.isArray(v)
            ? { Schema: null, Property: v as unknown[] }
            : { Schema: schemaForm(v as SchemaProps), Property: null },
        ),
  rules: value => (value === undefined ? null : (value as ValidationRule[]).map(ruleForm)),
};

/** Returns a JSONSchemaProps with Go's names. */
export function schemaForm(props: SchemaProps | null): object {
  return Object.fromEntries(internalFields.map(([goName, keyword, form]) => [goName, forms[form](props?.[keyword])]));
}

/** Returns a rule in the form of faults. */
export const shownRule = (rule: ValidationRule): PrintedValue => new PrintedValue(goJson(ruleForm(rule)));

/** Returns a schema in the form of faults. */
export const shownSchema = (props: SchemaProps): PrintedValue => new PrintedValue(goJson(schemaForm(props)));

/** Returns the value of `items` in the form of faults. */
export const shownItems = (items: SchemaProps['items']): PrintedValue => new PrintedValue(goJson(forms.orList(items)));
