import t from 'tap';
import { parse, stringify } from 'yaml';
import { readYaml } from '../../../lib/yaml/read-yaml.js';
import { writeYaml } from '../../../lib/yaml/write-yaml.js';
import { random } from '../../random.js';

const { below, chance, pick } = random(Number(process.env['FUZZ_SEED'] ?? 17));

const words = [
  'a',
  'b c',
  ' x',
  'y ',
  '',
  'yes',
  'null',
  '~',
  '1',
  '-0',
  '0x1f',
  '1e3',
  '1:30',
  '2020-01-01',
  '<<',
  '=',
  '.5',
  '.',
];
const signs = [
  ...`-?:,[]{}#&*!|>'"%@\`\\ \t\n./_=<éü😀\u2028\u00a0`,
  '\r',
  '\0',
  ': ',
  ' #',
  '\n\n',
  '\n ',
  '- ',
  '? ',
];

/** Signs that the yaml package and Go read alike. */
const simple = signs.filter(sign => !/^(?:[?\t\u2028_:]|\? )$/.test(sign));
let usable = simple;

const textOf = (): string => {
  if (chance(0.4)) return pick(words);
  return Array.from({ length: below(12) }, () => (chance(0.5) ? pick(usable) : pick(words))).join('');
};

function valueOf(depth: number): unknown {
  if (depth > 0 && chance(0.3)) return Array.from({ length: below(5) }, () => valueOf(depth - 1));
  if (depth > 0 && chance(0.5))
    return Object.fromEntries(Array.from({ length: below(5) }, () => [textOf(), valueOf(depth - 1)]));
  return chance(0.6) ? textOf() : pick([null, true, false, 0, -1, 42, 1.5, -0.25, 1e21, 2 ** 52, 1e-7]);
}

const styles = [
  {},
  { indent: 4 },
  { indentSeq: false },
  { lineWidth: 20 },
  { lineWidth: 0 },
  { collectionStyle: 'flow' },
  { defaultStringType: 'QUOTE_SINGLE' },
  { defaultStringType: 'QUOTE_DOUBLE' },
  { defaultStringType: 'BLOCK_LITERAL' },
  { defaultStringType: 'BLOCK_FOLDED' },
] as const;

const read = (text: string): unknown => {
  const result = readYaml(text);
  return result.type === 'value' ? result.value : result.text;
};

t.test('YAML of the yaml package, in each of its styles, is read as the package reads it', async t => {
  let compared = 0;
  for (let i = 0; i < 2000; i++) {
    const value = { v: valueOf(4) };
    const text = stringify(value, { version: '1.1', aliasDuplicateObjects: false, ...pick(styles) });
    let wanted: unknown;
    try {
      wanted = parse(text, { version: '1.1', merge: false, uniqueKeys: false }) as unknown;
    } catch {
      continue; // The package cannot read it either.
    }
    // The package does not keep some values itself, such as keys that are merges or have line breaks.
    if (JSON.stringify(wanted) !== JSON.stringify(value)) continue;
    compared++;
    const got = read(text);
    if (JSON.stringify(got) !== JSON.stringify(value)) t.same({ text, got }, { text, got: value });
  }
  t.ok(compared > 500, `${compared} values`);
});

t.test('a written value is read back unchanged', async t => {
  const wrong: unknown[] = [];
  usable = signs;
  const sorted = (value: unknown): string =>
    JSON.stringify(value, (_, part: unknown) =>
      typeof part === 'object' && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
        : part,
    );
  for (let i = 0; i < 2000; i++) {
    const value = { v: valueOf(4) };
    const text = writeYaml(value);
    if (sorted(read(text)) !== sorted(value)) wrong.push({ value, text, got: read(text) });
  }
  t.same(wrong, []);
});

t.test('random pieces of YAML return a result and never throw', async t => {
  const pieces = [
    ...signs,
    ...words,
    '\n',
    '\n  ',
    '\n    ',
    ': |\n',
    '- &a ',
    '*a',
    '!!str ',
    '<<: ',
    '"',
    "'",
    '---\n',
    '\t',
    '%YAML',
  ];
  for (let i = 0; i < 20_000; i++) {
    const text = Array.from({ length: below(30) }, () => pick(pieces)).join('');
    const result = readYaml(text);
    if (result.type === 'error' && !/^(?:yaml|json|unsupported)[: ]/.test(result.text)) t.fail(result.text);
  }
});
