/**
 * Walks over values that have two forms, at once and in steps, have the same results on random objects, of which parts are large. The documents of
 * tables are compared in `pipeline/stored/decode-stored.test.ts`, validation in `openapi/schema/validate-both-ways.ts`.
 */
import t, { type Test } from 'tap';
import { isDeepStrictEqual } from 'node:util';
import type { Schema } from '../../apimachinery/codec/interface.js';
import { same, sameSteps } from '../../apimachinery/patch/json-patch-values.js';
import { applyMergePatch, mergePatchSteps } from '../../apimachinery/patch/merge-patch.js';
import { cloneJson, setKey } from '../../lib/json/clone.js';
import { cloneSteps } from '../../lib/json/clone-steps.js';
import { deepEqual, semanticEqual } from '../../lib/json/equality.js';
import { deepEqualSteps, semanticEqualSteps } from '../../lib/json/equality-steps.js';
import { jsonText } from '../../lib/json/json.js';
import { jsonTextSteps } from '../../lib/json/text-steps.js';
import { VerbatimObject } from '../../lib/json/verbatim-object.js';
import type { InSteps } from '../../lib/time-slice.js';
import { applyDefaults, applyDefaultsSteps, dropNulls, dropNullsSteps } from '../../openapi/schema/default.js';
import { coerceEmbedded, coerceEmbeddedSteps } from '../../openapi/schema/embedded.js';
import { prune, pruneSteps } from '../../openapi/schema/prune.js';
import { definitionEqual, definitionEqualSteps } from '../../registry/dynamic/definition-equal.js';
import { sortedCopy, sortedCopySteps } from '../../registry/pipeline/stored/sorted-copy.js';
import { countedSteps } from '../counted-steps.js';
import { random as randomOf, type Random } from '../random.js';

type Plain = Record<string, unknown>;

const rounds = 16;
/** Members of a large part. A walk takes more than 1000 values for large. */
const largeLength = 1100;

const names = ['a', 'b', 'c', 'metadata', 'kind', 'apiVersion', '7', '__proto__', 'constructor', 'properties', 'enum'];

/** Returns a random value, of which every list and map at the depths below may be large. */
function valueOf(random: Random, depth: number): unknown {
  if (depth === 0 || random.chance(0.2))
    return random.pick<unknown>([null, true, 0, -1.5, 2n ** 63n, '', 'text', {}, []]);
  const isLarge = depth > 1 && random.chance(0.1);
  if (random.chance(0.4)) {
    const length = isLarge ? largeLength : random.below(4);
    return Array.from({ length }, (_, i) => (isLarge && i % 100 > 0 ? i % 7 : valueOf(random, depth - 1)));
  }
  const map: Plain = {};
  for (let i = random.below(5); i > 0; i--) setKey(map, random.pick(names), valueOf(random, depth - 1));
  for (let i = isLarge ? largeLength : 0; i > 0; i--)
    map[`k${(i * 7) % largeLength}`] = i % 100 > 0 ? random.pick([null, i]) : valueOf(random, depth - 1);
  return map;
}

/** Returns an object with a large list or map. */
function objectOf(random: Random): Plain {
  const items = Array.from({ length: largeLength }, (_, i) => valueOf(random, i % 200 ? 1 : 3));
  const large = random.chance(0.5) ? { b: { ...items } } : { c: items };
  return { a: valueOf(random, 3), ...large, metadata: valueOf(random, 2) };
}

/** Returns a random schema, which may allow unknown fields, have defaults, or describe objects in objects. */
function schemaOf(random: Random, depth: number): Schema {
  if (depth === 0 || random.chance(0.1)) return { type: 'string', ...(random.chance(0.3) && { default: 'default' }) };
  const some = (n: number): Record<string, Schema> =>
    Object.fromEntries(Array.from({ length: n }, () => [random.pick(names.slice(0, 7)), schemaOf(random, depth - 1)]));
  return {
    ...(random.chance(0.7) && { properties: some(4) }),
    ...(random.chance(0.6) && { additionalProperties: random.chance(0.3) || schemaOf(random, depth - 1) }),
    ...(random.chance(0.7) && { items: schemaOf(random, depth - 1) }),
    ...(random.chance(0.2) && { nullable: true }),
    ...(random.chance(0.3) && { default: { a: random.pick([1, null]) } }),
    ...(random.chance(0.2) && { 'x-kubernetes-preserve-unknown-fields': true }),
    ...(random.chance(0.3) && { 'x-kubernetes-embedded-resource': true }),
  };
}

/** Returns a schema in which the large parts of `objectOf` are described. */
function describing(random: Random): Schema {
  const part = (): Schema => schemaOf(random, 3);
  return {
    ...schemaOf(random, 1),
    properties: { a: part(), b: { ...part(), additionalProperties: part() }, c: { ...part(), items: part() } },
  };
}

/** Returns a copy with one difference, or none. */
function changed(random: Random, value: unknown): unknown {
  const copy = cloneJson(value);
  if (random.chance(0.3)) return copy;
  const { b, c } = copy as Plain;
  if (Array.isArray(c) && random.chance(0.4)) {
    c.push(random.pick<unknown>([9, null]));
    return copy;
  }
  let at = (random.chance(0.5) ? copy : (b ?? c)) as Plain;
  for (;;) {
    const keys = Object.keys(at);
    const key = keys[random.below(keys.length)];
    const inner = key === undefined ? undefined : at[key];
    if (key !== undefined && typeof inner === 'object' && inner !== null && random.chance(0.8)) at = inner as Plain;
    else {
      if (Array.isArray(at) && random.chance(0.5)) at.push(random.pick<unknown>([9, null]));
      else if (Array.isArray(at) || random.chance(0.5)) setKey(at, key ?? '0', random.pick<unknown>([null, {}, [], 9]));
      else if (key !== undefined) delete at[key];
      return copy;
    }
  }
}

/** Returns JSON, which shows the order of keys, in a form for any value. */
const shown = (value: unknown): string =>
  JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? `${v}n` : v)) ?? 'undefined';

/** The result of a form, and what it has made of its argument. */
interface Outcome {
  readonly result: unknown;
  readonly argument: unknown;
}

function outcomeOf(argument: unknown, run: (argument: unknown) => unknown): Outcome {
  const own = cloneJson(argument);
  try {
    return { result: run(own), argument: own };
  } catch (error) {
    // What was changed until then is of no use.
    return { result: String(error), argument: undefined };
  }
}

interface Forms {
  readonly atOnce: (argument: unknown) => unknown;
  readonly steps: (argument: unknown) => InSteps<unknown>;
}

/** Checks that both forms do the same with an argument. Returns how many steps there were, and what was done. */
function compare(t: Test, name: string, { atOnce, steps }: Forms, argument: unknown): { count: number; once: Outcome } {
  let count = 0;
  const once = outcomeOf(argument, atOnce);
  const stepped = outcomeOf(argument, own => {
    const counted = countedSteps(steps(own));
    ({ count } = counted);
    return counted.value;
  });
  const isSame = isDeepStrictEqual(once, stepped) && shown(once) === shown(stepped);
  t.ok(isSame, isSame ? name : `${name}: ${shown(once).slice(0, 300)} and ${shown(stepped).slice(0, 300)}`);
  return { count, once };
}

/** Checks a pair of forms on many arguments. Comparisons have to be of equal and of different values. */
function testForms(name: string, argumentOf: (random: Random) => unknown, formsFor: (random: Random) => Forms): void {
  t.test(name, async t => {
    const results = new Set<string>();
    let most = 0;
    for (let seed = 1; seed <= rounds; seed++) {
      const random = randomOf(seed);
      const argument = argumentOf(random);
      const { count, once } = compare(t, `seed ${seed}`, formsFor(random), argument);
      results.add(shown(typeof once.result === 'boolean' ? once.result : once));
      most = Math.max(most, count);
    }
    t.ok(most > 10, `there are steps: up to ${most}`);
    t.ok(results.size > 1, 'there are different results');
  });
}

/** Tests two forms of a walk over one value. */
const testWalk = (name: string, atOnce: Forms['atOnce'], steps: Forms['steps']): void =>
  testForms(name, objectOf, () => ({ atOnce, steps }));

/** Tests two forms of a comparison. */
function testComparison(
  name: string,
  atOnce: (a: unknown, b: unknown) => boolean,
  steps: (a: unknown, b: unknown) => InSteps<boolean>,
): void {
  testForms(name, objectOf, random => {
    const other = { ...random };
    let made: unknown;
    const otherOf = (a: unknown): unknown => (made ??= changed(other, a));
    return { atOnce: a => atOnce(a, otherOf(a)), steps: a => steps(a, otherOf(a)) };
  });
}

/** Tests two forms of a walk along a schema. */
const testSchemaWalk = (
  name: string,
  atOnce: (value: unknown, schema: Schema) => unknown,
  steps: (value: unknown, schema: Schema) => InSteps<unknown>,
): void =>
  testForms(name, objectOf, random => {
    const schema = describing(random);
    return { atOnce: value => atOnce(value, schema), steps: value => steps(value, schema) };
  });

testWalk('cloneJson', cloneJson, cloneSteps);
testWalk('jsonText', jsonText, jsonTextSteps);
testWalk('sortedCopy', sortedCopy, sortedCopySteps);
testWalk(
  'sortedCopy that shares what is sorted',
  value => sortedCopy(value, { shareCanonical: true }),
  value => sortedCopySteps(value, { shareCanonical: true }),
);

testComparison('deepEqual', deepEqual, deepEqualSteps);
testComparison('semanticEqual', semanticEqual, semanticEqualSteps);
testComparison('definitionEqual', definitionEqual, definitionEqualSteps);
testComparison('the test of a JSON patch', same, sameSteps);

testForms('merge patches', objectOf, random => {
  const patch = objectOf(random);
  return {
    atOnce: doc => applyMergePatch(doc as Plain, patch),
    steps: doc => mergePatchSteps(doc as Plain, patch),
  };
});

testSchemaWalk('prune', prune, pruneSteps);
testSchemaWalk(
  'prune of a whole object',
  (value, schema) => prune(value, schema, { root: true }),
  (value, schema) => pruneSteps(value, schema, { root: true }),
);
testSchemaWalk('applyDefaults', applyDefaults, applyDefaultsSteps);
testSchemaWalk('dropNulls', dropNulls, dropNullsSteps);

const text: Schema = { type: 'string' };
const objectMeta: Schema = {
  type: 'object',
  properties: { a: text, name: text, labels: { type: 'object', additionalProperties: text } },
};
for (const drop of [true, false])
  testSchemaWalk(
    `coerceEmbedded that ${drop ? 'drops' : 'refuses'} what is invalid`,
    (value, schema) => coerceEmbedded(value, schema, { objectMeta, drop }),
    (value, schema) => coerceEmbeddedSteps(value, schema, { objectMeta, drop }),
  );

t.test('a copy in steps keeps the JSON of verbatim objects', async t => {
  const verbatim = new VerbatimObject({ a: 1 }, '{"a":1.0}');
  const value = { large: objectOf(randomOf(1)), verbatim, list: Array.from({ length: largeLength }, () => verbatim) };
  const { value: copy } = countedSteps(cloneSteps(value));
  t.not(copy.verbatim, verbatim);
  t.equal(jsonText(copy), jsonText(value));
});
