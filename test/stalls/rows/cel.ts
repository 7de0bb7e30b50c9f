/** CEL in admission policies and in the schemas of custom resources. */
import type { Random } from '../../random.js';
import type { Row, Fixture } from '../row.js';
import { definitionsPath, customKind, object as objectSchema, text, version } from '../../custom-kinds.js';
import { configMaps, object, post, range, remove } from './objects.js';
import { matchedConfigMap, withPolicy } from './in-force.js';

type Validate = (size: number, random: Random) => readonly string[];

/** The content of the ConfigMap that a policy validates: text, most of it in one large entry. */
const data = (size: number) => ({ data: { big: 'a'.repeat(size), small: 'b'.repeat(size / 20) } });

async function playPolicy(fixture: Fixture, expressions: readonly string[], bytes: number): Promise<void> {
  const validations = expressions.map(expression => ({ expression }));
  await withPolicy(fixture, { validations }, async () => {
    for (let i = 0; i < 3; i++) {
      const name = fixture.name();
      const { status } = await fixture.send(post(configMaps, matchedConfigMap(name, data(bytes))));
      if (status === 201) await fixture.must(remove(`${configMaps}/${name}`));
    }
  });
}

/** `size`: the number of repetitions in an expression, or its depth. */
const policy = (name: string, size: number, validate: Validate, bytes = 1000): Row => ({
  name: `cel/${name}`,
  size,
  play: fixture =>
    playPolicy(
      fixture,
      validate(fixture.size, fixture.random),
      Math.max(100, bytes * Math.min(1, fixture.size / size)),
    ),
});

/** The large text is `size` bytes long. */
const onText = (name: string, validate: Validate, size = 1_000_000): Row => ({
  name: `cel/${name}`,
  size,
  play: fixture => playPolicy(fixture, validate(fixture.size, fixture.random), fixture.size),
});

const bound = (size: number, from: string, next: (name: string) => string, last: (name: string) => string): string => {
  const heads = range(size, i => `cel.bind(a${i}, ${i === 0 ? from : next(`a${i - 1}`)}, `).join('');
  return `${heads}${last(`a${size - 1}`)}${')'.repeat(size)}`;
};
const doubled =
  (from: string, last: (name: string) => string): Validate =>
  size => [bound(Math.max(1, size), from, name => `${name} + ${name}`, last)];

/** Returns a random expression of growing lists and strings. */
function grown(random: Random, depth: number): string {
  if (depth === 0) return random.pick(['[1, 2, 3]', '["a", "b"].map(x, size(x))', '[size(object.metadata.name)]']);
  const below = (): string => grown(random, depth - 1);
  return random.pick([
    () => `(${below()} + ${below()})`,
    () => `cel.bind(v${depth}, ${below()}, v${depth} + v${depth} + v${depth})`,
    () => `${below()}.map(x${depth}, x${depth} + 1)`,
    () => `${below()}.filter(x${depth}, x${depth} > 0)`,
    () => `${below()}.map(x${depth}, ${below()}).map(y, size(y))`,
    () => `[${below()}, ${below()}].map(x, size(x))`,
    () => `${below()}.sort()`,
    () => `${below()}.distinct()`,
  ])();
}

const big = "object.data['big']";
const smallText = "object.data['small']";

const policyRows: readonly Row[] = [
  policy(
    'list-doubling',
    30,
    doubled('[1, 2]', name => `size(${name}) > 0`),
  ),
  policy(
    'list-doubling-index',
    30,
    doubled('[1, 2]', name => `${name}[1] == 2`),
  ),
  policy(
    'list-doubling-in',
    30,
    doubled('[1, 2]', name => `3 in ${name}`),
  ),
  policy(
    'list-doubling-equal',
    30,
    doubled('[1, 2]', name => `${name} == ${name}`),
  ),
  policy(
    'text-doubling',
    30,
    doubled('object.metadata.name', name => `${name}.size() > 0`),
  ),
  policy(
    'text-doubling-contains',
    26,
    doubled('object.metadata.name', name => `${name}.contains('zz')`),
  ),
  policy('nested-doubling', 30, size => [
    bound(
      size,
      '[1]',
      name => `[${name}, ${name}]`,
      name => `${name} == ${name}`,
    ),
  ]),
  policy('map-doubling', 24, size => [
    bound(
      size,
      '{"a": 1}',
      name => `{"a": ${name}, "b": ${name}}`,
      name => `string(size(${name})) != "" && ${name} == ${name}`,
    ),
  ]),
  policy('format-nested', 24, size => [
    bound(
      size,
      '[1]',
      name => `[${name}, ${name}]`,
      name => `"%s".format([${name}]) != ""`,
    ),
  ]),
  policy('replace-growth', 20, size => [
    bound(
      size,
      '"aaaa"',
      name => `${name}.replace("a", "aaaa")`,
      name => `${name} != ""`,
    ),
  ]),
  policy('join-growth', 20, size => [
    bound(
      size,
      '"aaaa"',
      name => `[${name}, ${name}, ${name}].join(${name})`,
      name => `${name} != ""`,
    ),
  ]),
  policy('flatten', 20, size => [
    bound(
      size,
      '[1]',
      name => `[${name}, ${name}]`,
      name => `${name}.flatten(20).size() > 0`,
    ),
  ]),
  policy('comprehensions', 6, size => {
    const list = '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]';
    return [`${range(Math.max(1, size), i => `${list}.all(x${i}, `).join('')}true${')'.repeat(Math.max(1, size))}`];
  }),
  policy('macros-in-macros', 40, size => [
    `${range(Math.max(1, size), i => `[1].exists_one(x${i}, `).join('')}true${')'.repeat(Math.max(1, size))}`,
  ]),
  policy('long-chain', 100_000, size => [`object${'.a'.repeat(size)} == 1`]),
  policy('long-sum', 100_000, size => [`1${' + 1'.repeat(size)} > 0`]),
  policy('long-or', 100_000, size => [`true${' || true'.repeat(size)}`]),
  policy('brackets', 100_000, size => [`${'('.repeat(size)}true${')'.repeat(size)}`]),
  policy('open-brackets', 1_000_000, size => ['('.repeat(size)]),
  policy('nots', 100_000, size => [`${'!'.repeat(size)}true`]),
  policy('list-literal', 200_000, size => [`size([${range(size, i => i).join(',')}]) > 0`]),
  policy('text-literal', 1_000_000, size => [`'${'a'.repeat(size)}' != ''`]),
  policy('escapes', 1_000_000, size => [`'${'\\u0041'.repeat(size / 6)}' != ''`]),
  policy('ternaries', 20_000, size => [`${'true ? true : '.repeat(size)}true`]),
  policy('garbage', 1_000_000, size => ['@'.repeat(size)]),
  policy('many-validations', 12_000, size => range(size, i => `object.metadata.name != 'x${i}'`)),
  policy(
    'pattern-nested',
    1000,
    size => [`object.data['big'].matches('^(a?){${Math.min(size, 1000)}}a{${Math.min(size, 1000)}}$')`],
    1000,
  ),
  policy('pattern-alternatives', 50_000, size => [
    `object.metadata.name.matches('${range(size, i => `a${i}`).join('|')}')`,
  ]),
  policy(
    'pattern-from-text',
    1000,
    () => [`"aaaa".matches('(' + ${smallText} + '|' + ${smallText} + ')*{50}')`],
    20_000,
  ),
  onText('index-of', () => [`${big}.indexOf(${smallText}) < 0`]),
  onText('index-of-last', () => [`${big}.lastIndexOf(${smallText}) < 0`]),
  onText('index-of-end', () => [`${big}.indexOf(${big}.substring(0, size(${big}) / 2) + 'b') < 0`]),
  onText('contains', () => [`!${big}.contains(${big}.substring(0, size(${big}) / 2) + 'b')`]),
  onText('split', () => [`size(${big}.split('')) > 0`]),
  onText('split-join', () => [`${big}.split('').join(${smallText}) != ''`]),
  onText('replace', () => [`${big}.replace('a', ${smallText}) != ''`]),
  onText('replace-empty', () => [`${big}.replace('', 'bbbb') != ''`]),
  onText('reverse', () => [`${big}.reverse() != ''`]),
  onText('find-all', () => [`size(${big}.findAll('a?')) > 0`]),
  onText('matches', () => [`${big}.matches('(a*)*b')`]),
  onText('matches-alternatives', () => [`${big}.matches('(aa|a|aaa|aaaa)*b')`]),
  onText('map-of-characters', () => [`${big}.split('').map(c, c + c).filter(c, c != 'aa').size() == 0`]),
  onText('in-list', () => [`${big}.split('').all(c, c in ${big}.split(''))`]),
  onText('distinct', () => [`size(${big}.split('').distinct()) > 0`]),
  onText('quantity', () => [`isQuantity(${big})`, `isQuantity('9' + ${big}.replace('a', '9'))`]),
  onText('url', () => [`isURL('https://' + ${big})`, `isURL(${big}.replace('a', '%41'))`]),
  onText('address', () => [`isIP(${big})`, `isCIDR(${big}.replace('a', ':'))`]),
  onText('number', () => [`int(${big}.replace('a', '9')) > 0`, `double(${big}.replace('a', '9')) > 0.0`]),
  onText('time', () => [
    `timestamp(${big}) != timestamp('2020-01-01T00:00:00Z')`,
    `duration(${big}.replace('a', '1h')) > duration('1s')`,
  ]),
  onText('format', () => [
    `"%s%s%s%s".format([${big}, ${big}, ${big}, ${big}]) != ""`,
    `${big}.replace('a', '%s').format([]) != ""`,
  ]),
  onText('version', () => [`isSemver(${big}.replace('a', '1.'))`]),
  onText('name-format', () => [`!format.dns1123Subdomain().validate(${big}.replace('a', 'a.')).hasValue()`]),
  policy('random', 8, (size, random) => range(3, () => `size(${grown(random, Math.max(1, size))}) >= 0`)),
];

/** Creates a definition with validation rules on a list, and an object with a long list. */
const rules = (name: string, size: number, rule: string): Row => ({
  name: `cel/rules-${name}`,
  size,
  async play(fixture) {
    const plural = fixture.name().replaceAll('/', '-');
    const items = { ...text, maxLength: 30 };
    const schema = objectSchema({
      spec: objectSchema({
        list: { type: 'array', items, maxItems: 100_000, 'x-kubernetes-validations': [{ rule }] },
      }),
    });
    const definition = customKind('Rule', [version('v1', schema)], {
      group: 'stalls.example.com',
      names: { plural, kind: `Rule${plural.replaceAll('-', '')}` },
    });
    const { status } = await fixture.send(post(definitionsPath, definition));
    if (status !== 201) return;
    const path = `/apis/stalls.example.com/v1/namespaces/default/${plural}`;
    const made = object('stalls.example.com/v1', `Rule${plural.replaceAll('-', '')}`, 'x', {
      spec: { list: range(fixture.size, i => `item${i}`) },
    });
    for (let answer = 404; answer === 404;) answer = (await fixture.send(post(path, made))).status;
    await fixture.must(remove(`${definitionsPath}/${plural}.stalls.example.com`));
  },
});

export const celRows: readonly Row[] = [
  ...policyRows,
  rules('all', 50_000, "self.all(x, x.startsWith('item'))"),
  rules('matches', 50_000, "self.all(x, x.matches('^item[0-9]+$'))"),
  rules('join', 50_000, "self.join(',').size() > 0"),
  rules('unsorted', 50_000, 'self.isSorted()'),
  rules('self-product', 5000, 'self.all(x, self.exists(y, x == y))'),
];
