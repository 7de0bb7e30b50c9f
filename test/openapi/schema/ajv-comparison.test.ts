/**
 * Compares validation with ajv: both validate the same values by the same schemas, which are those of Karmada's kinds and small ones for the
 * keywords that these do not use. A seeded generator makes the values from the schemas, and makes some of them invalid.
 */
import { type AnySchema, Ajv } from 'ajv';
import t from 'tap';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { validateValue } from '../../../openapi/schema/validation/validate.js';
import { karmadaCustomResources } from '../../../kinds/karmada/crds/custom-resources.js';
import { random as randomOf } from '../../random.js';

const ajv = new Ajv({ strict: false, validateSchema: false, code: { optimize: false } });
type Json = Record<string, unknown>;

/** Removes formats, which JSON Schema does not define. */
function withoutFormats(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutFormats);
  if (schema === null || typeof schema !== 'object') return schema;
  const entries = Object.entries(schema).filter(([key, value]) => key !== 'format' || typeof value !== 'string');
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutFormats(value)]));
}

/** Translates exclusive bounds and int-or-string to the current JSON Schema. */
function translated(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(translated);
  if (schema === null || typeof schema !== 'object') return schema;
  const { exclusiveMinimum, exclusiveMaximum, ...others } = schema as Schema;
  const out: Json = {};
  for (const [key, value] of Object.entries(others))
    out[key] = key === 'enum' || key === 'default' ? value : translated(value);
  if (exclusiveMinimum) [out['exclusiveMinimum'], out['minimum']] = [out['minimum'], undefined];
  if (exclusiveMaximum) [out['exclusiveMaximum'], out['maximum']] = [out['maximum'], undefined];
  if (others['x-kubernetes-int-or-string']) out['type'] = ['integer', 'string'];
  for (const key of Object.keys(out)) if (out[key] === undefined) delete out[key];
  return out;
}

function valueOf(schema: Schema, random: () => number, depth: number): unknown {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  if (random() < 0.02) return pick([true, 0, -1, 3.5, '', 'text', [], {}]); // mostly invalid
  if (schema.enum && random() < 0.9) return pick(schema.enum);
  const [inner] = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (!schema.type && inner && !schema.properties) return valueOf(inner, random, depth);
  switch (schema['x-kubernetes-int-or-string'] ? pick(['integer', 'string'] as const) : schema.type) {
    case 'object': {
      const out: Json = {};
      for (const [name, property] of Object.entries(schema.properties ?? {}))
        if ((schema.required?.includes(name) && random() < 0.97) || (depth > 0 && random() < 0.5))
          out[name] = valueOf(property, random, depth - 1);
      if (typeof schema.additionalProperties === 'object')
        for (const name of ['a', 'b', 'c'].slice(0, Math.floor(random() * 4)))
          out[name] = valueOf(schema.additionalProperties, random, depth - 1);
      return out;
    }
    case 'array':
      return Array.from({ length: Math.floor(random() * 3) }, () => valueOf(schema.items ?? {}, random, depth - 1));
    case 'integer':
      return pick([0, 1, 2, 7, 100, -3, schema.minimum ?? 5, schema.maximum ?? 5]);
    case 'number':
      return pick([0, 0.5, 2, -1.25]);
    case 'boolean':
      return random() < 0.5;
    case 'string':
      return pick(['', 'a', 'name', 'Some-Name', 'x'.repeat(70), '10m', '2026-01-01T00:00:00Z']);
    default:
      return pick([1, 'x', {}]);
  }
}

function compare(t: Tap, complete: Schema, rounds: number, seed: number): void {
  const schema = withoutFormats(complete) as Schema;
  const isValid = ajv.compile(translated(schema) as AnySchema);
  const { next: random } = randomOf(seed);
  const seen = { valid: 0, invalid: 0 };
  for (let round = 0; round < rounds; round++) {
    const value = valueOf(schema, random, 8);
    const expected = isValid(value);
    const faults = validateValue(value, schema);
    seen[expected ? 'valid' : 'invalid']++;
    if (expected === (faults.length === 0)) continue;
    return void t.fail('the results differ', { value, ajv: isValid.errors ?? 'valid', faults });
  }
  t.ok(seen.valid > 0 && seen.invalid > 0, `${seen.valid} valid, ${seen.invalid} invalid`);
}

type Tap = Pick<typeof t, 'ok' | 'fail'>;

interface Definition {
  spec: { names: { kind: string }; versions: { name: string; schema: { openAPIV3Schema: Schema } }[] };
}

for (const definition of karmadaCustomResources() as unknown as Definition[])
  for (const { name, schema } of definition.spec.versions)
    t.test(`${definition.spec.names.kind} ${name}`, t => {
      // Metadata is validated separately.
      const { metadata: _, ...properties } = schema.openAPIV3Schema.properties ?? {};
      compare(t, { ...schema.openAPIV3Schema, properties }, 200, name.length);
      t.end();
    });

const keywords: Record<string, Schema> = {
  bounds: { type: 'integer', minimum: 1, exclusiveMinimum: true, maximum: 7 },
  'excluded end': { type: 'integer', minimum: 0, maximum: 7, exclusiveMaximum: true },
  multiple: { type: 'integer', multipleOf: 7 },
  lengths: { type: 'string', minLength: 2, maxLength: 10 },
  pattern: { type: 'string', pattern: '^[a-z]+$' },
  items: { type: 'array', minItems: 1, maxItems: 1, items: { type: 'string' } },
  'number of properties': {
    ...{ type: 'object', minProperties: 1, maxProperties: 2 },
    additionalProperties: { type: 'string' },
  },
  not: { type: 'string', not: { enum: ['a', 'name'] } },
  'one of': { type: 'integer', oneOf: [{ minimum: 2 }, { maximum: 1 }, { enum: [7] }] },
  'any of': { type: 'integer', anyOf: [{ minimum: 50 }, { enum: [0, 1] }] },
  'all of': { type: 'integer', allOf: [{ minimum: 0 }, { maximum: 10 }] },
  'a number or a text': { 'x-kubernetes-int-or-string': true },
};
for (const [name, schema] of Object.entries(keywords))
  t.test(name, t => {
    compare(t, schema, 500, 7);
    t.end();
  });
