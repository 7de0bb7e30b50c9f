/** The rules of a schema and of those below, ready to be evaluated. as apiextensions-apiserver/pkg/apiserver/schema/cel NewValidator */
import { escapeName } from './cel-names.js';
import { once } from '../../../lib/collections/once.js';
import type { Pace } from '../../../lib/cel/interpreter/pace.js';
import { type CompiledRule, compileRule } from './cel-rules.js';
import { type Declared, declare } from './cel-types.js';
import type { Schema, ValidationRule } from '../../../apimachinery/codec/interface.js';
import { inPartsAndAllOf, someSchema } from '../../../apimachinery/codec/some-schema.js';

/** Units of the pace that compiling a rule counts for. */
const compileUnits = 20_000;

/** A rule that is compiled on first use, since compiling all rules of a schema may take long. */
class ReadyRule {
  private readonly rule: ValidationRule;
  private readonly declared: Declared;
  private readonly schema: Schema;
  private made: CompiledRule | undefined;

  constructor(rule: ValidationRule, declared: Declared, schema: Schema) {
    this.rule = rule;
    this.declared = declared;
    this.schema = schema;
  }

  /** Returns the compiled rule; counts the compilation in `pace`. */
  compiled(pace?: Pace): CompiledRule {
    if (this.made) return this.made;
    this.made = compileRule(this.rule, this.declared, this.schema);
    pace?.count(compileUnits);
    return this.made;
  }
}

/** The rules of a schema and of those below. */
export interface Validator {
  readonly schema: Schema;
  readonly root: boolean;
  readonly rules: readonly ReadyRule[];
  /** Returns whether a rule refers to oldSelf. */
  readonly usesOldSelf: () => boolean;
  /** Whether the schema has rules, but no type to compile them. */
  readonly broken: boolean;
  /** Whether the schema itself has rules. */
  readonly hasRules: boolean;
  readonly allOf: readonly Validator[];
  readonly items: Validator | undefined;
  readonly more: Validator | undefined;
  readonly properties: ReadonlyMap<string, Validator>;
}

const moreOf = (schema: Schema): Schema | undefined =>
  typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;

const isEmbedded = (schema: Schema): boolean => schema['x-kubernetes-embedded-resource'] === true;

/** Reports whether a schema, or one below it or in its allOf, has rules. */
export const mentionsRules = someSchema(
  schema => (schema['x-kubernetes-validations'] ?? []).length > 0,
  inPartsAndAllOf,
);

/** Builds the validator. `rules` is the schema with the rules, `schema` that with the types; they differ inside of allOf. */
function build(rules: Schema, schema: Schema, root: boolean, declared: Declared | undefined): Validator | undefined {
  if (!mentionsRules(rules)) return undefined;
  const validations = rules['x-kubernetes-validations'] ?? [];
  const ready = declared ? validations.map(rule => new ReadyRule(rule, declared, schema)) : [];
  const properties = new Map<string, Validator>();
  for (const [name, below] of Object.entries(rules.properties ?? {})) {
    const property = schema.properties?.[name];
    if (!property) continue;
    const field = escapeName(name);
    const type = field === undefined ? declare(property, isEmbedded(property)) : declared?.fields?.get(field);
    const found = type && build(below, property, isEmbedded(property), type);
    if (found) properties.set(name, found);
  }
  const [belowItems, items] = [rules.items, schema.items];
  const [belowMore, more] = [moreOf(rules), moreOf(schema)];
  return {
    schema,
    root,
    rules: ready,
    usesOldSelf: once(() => ready.some(rule => rule.compiled().usesOldSelf)),
    broken: validations.length > 0 && !declared,
    hasRules: validations.length > 0,
    allOf: (rules.allOf ?? []).flatMap(one => build(one, schema, root, declared) ?? []),
    items: belowItems && items && build(belowItems, items, isEmbedded(items), declared?.items),
    more: belowMore && more && build(belowMore, more, isEmbedded(more), declared?.items),
    properties,
  };
}

/** Caches the validators of schemas. The compiled rules may be a hundred times as large as the schema. */
export class Validators {
  readonly #ofRoots = new WeakMap<Schema, { readonly of: Validator | undefined }>();
  readonly #ofParts = new WeakMap<Schema, { readonly of: Validator | undefined }>();

  /** Returns the validator of a schema; undefined if it has no rules. `root`: the schema is that of a whole object. */
  of(schema: Schema, root: boolean): Validator | undefined {
    const known = root ? this.#ofRoots : this.#ofParts;
    let found = known.get(schema);
    if (!found) {
      found = { of: mentionsRules(schema) ? build(schema, schema, root, declare(schema, root)) : undefined };
      known.set(schema, found);
    }
    return found.of;
  }

  /** Drops the validators of a schema. They are built again on demand. */
  forget(schema: Schema): void {
    this.#ofRoots.delete(schema);
    this.#ofParts.delete(schema);
  }
}

/** Caches the validators of schemas in use. Owners must call `forget`, since the history of objects keeps schemas alive for longer. */
export const validators = new Validators();
