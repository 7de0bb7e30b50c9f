import t from 'tap';
import type { JsonObject } from '../../../../apimachinery/interface.js';
import {
  difference,
  emptySet,
  equalSets,
  hasPath,
  insert,
  intersection,
  isEmptySet,
  isSubset,
  newDraft,
  fieldPathsOf,
  recursiveDifference,
  fieldSetOf,
  unionOfSets,
  type FieldSet,
} from '../../../../apimachinery/patch/typed/field-set.js';
import { parseFieldsV1, writeFieldsV1, writeSteps } from '../../../../apimachinery/patch/typed/fields-v1.js';
import {
  comparePathElements,
  parsePathElement,
  printPath,
  sortElementsInSteps,
  sortPathElements,
} from '../../../../apimachinery/patch/typed/path-element.js';
import { filterOf } from '../../../../apimachinery/patch/reset-fields.js';
import { atOnce, Strides } from '../../../../lib/time-slice.js';
import { random as randomOf } from '../../../random.js';
import { frozen } from '../support.js';

const parse = (fields: JsonObject): FieldSet => parseFieldsV1(structuredClone(fields));
const text = (set: FieldSet): string => JSON.stringify(writeFieldsV1(set));

t.test('path elements are parsed and printed', t => {
  const rows: readonly (readonly [string, string | undefined, string])[] = [
    ['f:spec', 'f:spec', '.spec'],
    ['f:a:b', 'f:a:b', '.a:b'],
    [
      'k:{"protocol":"TCP","containerPort":80}',
      'k:{"containerPort":80,"protocol":"TCP"}',
      '[containerPort=80,protocol="TCP"]',
    ],
    ['k:{"name":"a\\"b"}', 'k:{"name":"a\\"b"}', '[name="a\\"b"]'],
    ['v:"x/y"', 'v:"x/y"', '[="x/y"]'],
    ['v:1.50', 'v:1.5', '[=1.5]'],
    ['v:"a<b"', 'v:"a\\u003cb"', '[="a<b"]'],
    ['v:null', 'v:null', '[=null]'],
    ['k:{"a":true}', 'k:{"a":true}', '[a=true]'],
    ['i:3', 'i:3', '[3]'],
    ['z:new', undefined, ''],
  ];
  for (const [from, to, printed] of rows) {
    t.equal(parsePathElement(from), to);
    if (to !== undefined) t.equal(printPath([to]), printed);
  }
  for (const bad of ['f', 'fx', 'k:1', 'k:{', 'v:', 'i:x', 'nocolon']) t.throws(() => parsePathElement(bad), bad);
  t.end();
});

t.test('path elements are sorted as by upstream', t => {
  const sorted = [
    'f:a',
    'f:b',
    'k:{"a":9}',
    'k:{"a":10}',
    'k:{"a":10,"b":"x"}',
    'k:{"a":"a"}',
    'k:{"a":"a b"}',
    'k:{"b":1}',
    'v:2',
    'v:10',
    'v:"a"',
    'v:true',
    'i:2',
    'i:10',
  ];
  const { next: random } = randomOf(1);
  const shuffled = sorted.map(e => [random(), e] as const).sort(([a], [b]) => a - b);
  t.strictSame(shuffled.map(([, e]) => e).sort(comparePathElements), sorted);
  t.end();
});

t.test('fieldsV1 is parsed and written', t => {
  const sorted = { 'f:a': {}, 'f:b': { '.': {}, 'f:c': {}, 'k:{"n":1}': { '.': {}, 'f:n': {} }, 'v:"x"': {} } };
  t.equal(text(parse(sorted)), JSON.stringify(sorted));
  const unsorted = {
    'f:b': { 'v:"x"': {}, 'f:c': {}, 'k:{"n":1}': { 'f:n': {}, '.': {} }, '.': {} },
    'z:q': {},
    'f:a': { '.': {} },
  };
  t.equal(text(parse(unsorted)), JSON.stringify(sorted));
  t.ok(equalSets(parse(sorted), parse(unsorted)));
  t.ok(isEmptySet(parse({})));
  t.ok(isEmptySet(parse({ '.': {} })), 'the root is never in a set');
  t.equal(text(emptySet), '{}');
  for (const bad of [{ 'f:a': 1 }, { x: {} }, { 'f:a': { 'k:[': {} } }]) t.throws(() => parse(bad));
  const stored = frozen(structuredClone(sorted));
  t.equal(writeFieldsV1(parseFieldsV1(stored)), stored, 'a set is written as it was read');
  t.equal(parseFieldsV1(stored), parseFieldsV1(stored), 'and read once');
  const before = parseFieldsV1(stored);
  for (let i = 0; i < 2000; i++) parseFieldsV1({ [`f:${i}`]: {} });
  t.equal(parseFieldsV1(stored), before, 'as long as it is in use');
  for (let i = 0; i < 2000; i++) parseFieldsV1({ [`f:${i}`]: {} });
  t.equal(parseFieldsV1(stored), before);
  for (let i = 0; i < 6000; i++) parseFieldsV1({ [`f:${i}`]: {} });
  t.not(parseFieldsV1(stored), before, 'unused sets leave the cache');
  t.end();
});

const a = parse({ 'f:a': {}, 'f:b': { '.': {}, 'f:c': {}, 'f:d': {} }, 'f:e': { 'f:x': {} } });
const b = parse({ 'f:b': { 'f:c': {} }, 'f:e': {}, 'f:n': {} });

t.test('operations on sets', t => {
  t.equal(text(unionOfSets(a, b)), '{"f:a":{},"f:b":{".":{},"f:c":{},"f:d":{}},"f:e":{".":{},"f:x":{}},"f:n":{}}');
  t.equal(text(intersection(a, b)), '{"f:b":{"f:c":{}}}');
  t.equal(text(difference(a, b)), '{"f:a":{},"f:b":{".":{},"f:d":{}},"f:e":{"f:x":{}}}');
  t.equal(text(recursiveDifference(a, b)), '{"f:a":{},"f:b":{".":{},"f:d":{}}}');
  t.equal(text(difference(b, a)), '{"f:e":{},"f:n":{}}');
  t.ok(isEmptySet(difference(a, a)));
  t.equal(difference(a, parse({ 'f:zz': {} })), a, 'nothing changes: the set itself');
  t.equal(unionOfSets(a, parse({ 'f:a': {} })), a);
  t.equal(intersection(a, unionOfSets(a, b)), a);
  t.ok(isSubset(intersection(a, b), a));
  t.notOk(isSubset(a, b));
  t.strictSame(
    [...fieldPathsOf(a)].map(printPath),
    ['.a', '.b', '.b.c', '.b.d', '.e.x'],
    'a level before those below it',
  );
  t.ok(hasPath(a, ['f:b', 'f:c']));
  t.notOk(hasPath(a, ['f:e']));
  t.notOk(hasPath(a, []));
  t.end();
});

t.test('a draft does not change the sets that are inserted into it', t => {
  const inner = fieldSetOf(['f:x']);
  const draft = newDraft();
  insert(draft, ['f:a']);
  insert(draft, ['f:a', 'f:b'], inner);
  insert(draft, ['f:a', 'f:b', 'f:y']);
  insert(draft, ['f:a', 'f:b']);
  insert(draft, []);
  t.equal(text(inner), '{"f:x":{}}');
  t.equal(text(draft), '{"f:a":{".":{},"f:b":{".":{},"f:x":{},"f:y":{}}}}');
  t.end();
});

t.test('reset fields are filtered', t => {
  const set = parse({
    'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} }, 'f:finalizers': { 'v:"x"': {} } },
    'f:spec': { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:image': {}, 'f:resources': { 'f:limits': {} } } } },
    'f:status': { 'f:phase': {} },
  });
  t.equal(
    text(filterOf(['spec', 'status', 'metadata.finalizers'])(set)),
    '{"f:metadata":{"f:labels":{".":{},"f:a":{}}}}',
  );
  t.equal(
    text(filterOf({ allBut: ['spec.containers.*.resources'] })(set)),
    '{"f:spec":{"f:containers":{"k:{\\"name\\":\\"c\\"}":{".":{},"f:resources":{"f:limits":{}}}}}}',
  );
  t.equal(filterOf(undefined)(set), set);
  t.equal(filterOf([])(set), set);
  t.end();
});

/** Returns a random set of few elements, so that sets overlap. */
function randomSet(random: () => number, depth = 3): JsonObject {
  const out: JsonObject = {};
  const elements = ['f:a', 'f:b', 'k:{"n":1}', 'k:{"n":"x"}', 'v:"s"', 'i:1'];
  for (const element of elements) {
    if (random() < 0.5) continue;
    const below = depth > 0 && random() < 0.6 ? randomSet(random, depth - 1) : {};
    out[element] = random() < 0.5 ? { '.': {}, ...below } : below;
  }
  return out;
}

t.test('operations obey the laws of sets', t => {
  const { next: random } = randomOf(7);
  for (let round = 0; round < 300; round++) {
    const [x, y, z] = [parse(randomSet(random)), parse(randomSet(random)), parse(randomSet(random))];
    const laws: readonly (readonly [string, FieldSet, FieldSet])[] = [
      ['reading what was written', parse(writeFieldsV1(x)), x],
      ['a union holds both', unionOfSets(x, y), unionOfSets(y, x)],
      ['unions associate', unionOfSets(unionOfSets(x, y), z), unionOfSets(x, unionOfSets(y, z))],
      ['intersections commute', intersection(x, y), intersection(y, x)],
      ['what is in both and what is not make all', unionOfSets(intersection(x, y), difference(x, y)), x],
      ['an intersection by differences', difference(x, difference(x, y)), intersection(x, y)],
      ['a difference has nothing of the other', intersection(difference(x, y), y), emptySet],
      ['distribution', intersection(x, unionOfSets(y, z)), unionOfSets(intersection(x, y), intersection(x, z))],
    ];
    for (const [name, left, right] of laws)
      if (!equalSets(left, right)) t.fail(`${name}: ${text(left)} is not ${text(right)}`);
    if (!isSubset(recursiveDifference(x, y), difference(x, y))) t.fail('a recursive difference takes at least as much');
    if (text(parse(writeFieldsV1(x))) !== text(x)) t.fail('one text for one set');
    if (fieldSetOf(...fieldPathsOf(x)) && !equalSets(fieldSetOf(...fieldPathsOf(x)), x))
      t.fail('its paths make the set');
  }
  t.pass('300 rounds');
  t.end();
});

t.test('a large set is written in steps, with the same result', async t => {
  const random = randomOf(1);
  const ports = Array.from({ length: 5000 }, (_, i) => `k:{"containerPort":${(i * 7919) % 65536},"protocol":"TCP"}`);
  const keys = Array.from({ length: 5000 }, () => `f:${random.below(1e9).toString(36)}`);
  const nested = (elements: readonly string[]): JsonObject =>
    Object.fromEntries(elements.map(element => [element, { 'v:"x"': {}, 'f:a': {}, '.': {} }]));
  const fields = { 'f:spec': { '.': {}, 'f:ports': nested(ports), 'f:map': nested(keys) } };
  const [whole, inSteps] = [parse(fields), parse(fields)];
  const count = [...writeSteps(inSteps, new Strides(1024))].length;
  t.ok(count > 5, `${count} steps`);
  t.equal(text(inSteps), text(whole));
});

t.test('many elements are sorted in the same order as few', async t => {
  const random = randomOf(2);
  const make = (): string =>
    random.pick([
      `f:a${random.below(500)}`,
      `f:${random.below(500)}`,
      `k:{"a":${random.below(500)},"b":"x${random.below(9)}"}`,
      `k:{"a":"${random.below(500)}"}`,
      `k:{"b":${random.below(500)}}`,
      `v:${random.below(500)}`,
      `v:"${random.below(500)}"`,
      'v:true',
      'v:null',
      `i:${random.below(500)}`,
    ]);
  const elements = [...new Set(Array.from({ length: 3000 }, make))];
  t.strictSame(sortPathElements([...elements]), [...elements].sort(comparePathElements));
  t.strictSame(atOnce(sortElementsInSteps(elements)), [...elements].sort(comparePathElements), 'in steps');
  const fields = elements.map((_, i) => `f:x${i}`);
  for (const part of [fields, [...fields, 'i:1'], []]) {
    const steps = [...sortElementsInSteps(part)];
    t.strictSame(atOnce(sortElementsInSteps(part)), [...part].sort(comparePathElements));
    t.ok(part.length === 0 || steps.length > 3, `${steps.length} steps`);
  }
  const ports = elements.filter(element => element.startsWith('k:{"a":') && element.includes('b'));
  t.ok(ports.length > 64);
  t.strictSame(sortPathElements([...ports]), [...ports].sort(comparePathElements));
});
