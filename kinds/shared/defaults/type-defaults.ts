import type { Schema } from '../../../apimachinery/codec/interface.js';
import { roundUpToMilli } from './round-up-to-milli.js';

type Fields = Record<string, unknown>;
/** Fills in one value of a type, in place. */
export type Fill = (value: Fields) => void;
/** Name of a native type -> how a value of it is filled in, wherever it occurs. */
export type TypeDefaults = ReadonlyMap<string, Fill>;

/** The path to everything below a value that has defaults; built once per schema. */
interface Plan {
  readonly fill: Fill | undefined;
  readonly fields: readonly { readonly name: string; readonly plan: Plan; readonly isStruct: boolean }[];
  readonly each: Plan | undefined;
}

/**
 * Returns one function that fills in all values of known types below an object: parents before their children, and structs that Go always has
 * even if they are left out. Resource quantities are rounded up to thousandths. Undefined if the schema has nothing to fill in.
 */
// as the generated SetObjectDefaults_* functions of pkg/apis
export function compileDefaults(schema: Schema, defaults: TypeDefaults): Fill | undefined {
  const plan = planOf(schema, defaults, new Map());
  return plan && (value => run(plan, value));
}

/** A type inside itself (JSON schemas) has nothing to fill in. */
function planOf(schema: Schema, defaults: TypeDefaults, seen: Map<string, Plan | undefined>): Plan | undefined {
  const { typeName } = schema;
  if (typeName !== undefined && seen.has(typeName)) return seen.get(typeName);
  if (typeName !== undefined) seen.set(typeName, undefined);
  const plan = build(schema, defaults, seen);
  if (typeName !== undefined) seen.set(typeName, plan);
  return plan;
}

function build(schema: Schema, defaults: TypeDefaults, seen: Map<string, Plan | undefined>): Plan | undefined {
  const { typeName, items, additionalProperties: values } = schema;
  const isQuantities = typeof values === 'object' && values.scalar === 'quantity';
  const own = typeName === undefined ? undefined : defaults.get(typeName);
  const fill = isQuantities ? roundUpToMilli : both(own, declaredDefaults(schema));
  const inner = items ?? (typeof values === 'object' ? values : undefined);
  const each = inner && planOf(inner, defaults, seen);
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const plan = planOf(child, defaults, seen);
    const isStruct = child.type === 'object' && child.presence === 'always' && !child.nullable && !!child.typeName;
    return plan ? [{ name, plan, isStruct }] : [];
  });
  return fill || each || fields.length > 0 ? { fill, fields, each } : undefined;
}

/** Returns the defaults in the schema itself. Empty ones are only an artefact of the schema's generator. */
function declaredDefaults({ properties }: Schema): Fill | undefined {
  const declared = Object.entries(properties ?? {}).filter(
    ([, { default: value }]) => value !== undefined && typeof value !== 'object' && value,
  );
  if (declared.length === 0) return undefined;
  return value => {
    for (const [name, child] of declared) {
      const isLeftOut = child.presence === 'pointer' ? value[name] === undefined : !value[name];
      if (isLeftOut) value[name] = child.default;
    }
  };
}

function both(first: Fill | undefined, second: Fill | undefined): Fill | undefined {
  if (!first || !second) return first ?? second;
  return value => {
    first(value);
    second(value);
  };
}

// hot: every write of a native object
function run(plan: Plan, value: Fields): void {
  plan.fill?.(value);
  for (const { name, plan: next, isStruct } of plan.fields) {
    let child = value[name];
    if (child === undefined && isStruct) child = value[name] = {};
    if (typeof child === 'object' && child !== null) run(next, child as Fields);
  }
  if (!plan.each) return;
  for (const child of Array.isArray(value) ? (value as unknown[]) : Object.values(value))
    if (typeof child === 'object' && child !== null) run(plan.each, child as Fields);
}
