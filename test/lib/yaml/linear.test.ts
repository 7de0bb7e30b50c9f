import t, { type Test } from 'tap';
import { readYaml } from '../../../lib/yaml/read-yaml.js';
import { compareKeys, writeYaml } from '../../../lib/yaml/write-yaml.js';
import { cpuCosts } from '../../cpu-cost.js';

/**
 * Sixteen times the input may take eight times as long as that, since more memory is new, and slow to get on some machines; a quadratic algorithm
 * takes 256 times as long as the short input. Up to 20 ms are always accepted.
 */
const limitOf = (first: number): number => 128 * first + 20;

/** Asserts that work on a short text, and on one that is sixteen times as long, takes time proportional to the length. */
async function isLinear(t: Test, name: string, short: () => unknown, long: () => unknown): Promise<void> {
  short();
  const [first, second] = await cpuCosts(short, long, limitOf);
  t.ok(second < limitOf(first), `${name}: ${first.toFixed(1)} ms, of sixteen times as much ${second.toFixed(1)} ms`);
}

const size = 16 * 1024;

/** Texts of about `bytes` bytes. */
const shapes: Readonly<Record<string, (bytes: number) => string>> = {
  'closing braces': n => '}'.repeat(n),
  'opening brackets': n => '['.repeat(n),
  'double quotes': n => '"'.repeat(n - 1),
  'quoted words': n => '"" '.repeat(n / 3),
  'a flow list': n => `[${'1,'.repeat(n / 2)}]`,
  'flow maps': n => `[${'{a: b},'.repeat(n / 7)}]`,
  'flow pairs': n => `[${'a: b,'.repeat(n / 5)}]`,
  'flow maps in one another': n => `${'- '}${'{a: '.repeat(100)}1${'}'.repeat(100)}\n`.repeat(n / 504),
  'long flow words': n => `[${'aaaaaaaa '.repeat(n / 9)}]`,
  keys: n => Array.from({ length: n / 16 }, (_, i) => `key${i}: v${i}`).join('\n'),
  'keys that are numbers': n => Array.from({ length: n / 12 }, (_, i) => `${i * 7919}: v`).join('\n'),
  'one key': n => 'k: v\n'.repeat(n / 5),
  'explicit keys': n => Array.from({ length: n / 10 }, (_, i) => `? key${i}`).join('\n'),
  'question marks': n => '? '.repeat(n / 2),
  colons: n => ': '.repeat(n / 2),
  'a long key': n => `${'k'.repeat(n)}: v`,
  items: n => '- a\n'.repeat(n / 4),
  'items without values': n => '-\n'.repeat(n / 2),
  dashes: n => '- '.repeat(n / 2),
  documents: n => '---\n'.repeat(n / 4),
  anchors: n => Array.from({ length: n / 12 }, (_, i) => `- &a${i} x`).join('\n'),
  aliases: n => `- &x b\n${'- *x\n'.repeat(n / 5)}`,
  merges: n => `- &x {k: 1}\n${'- <<: *x\n'.repeat(n / 9)}`,
  tags: n => '- !!str a\n'.repeat(n / 10),
  'escaped tags': n => `!<${'%41'.repeat(n / 3)}> a`,
  comments: n => '#\n'.repeat(n / 2),
  'a long comment': n => `#${' #'.repeat(n / 2)}`,
  blanks: n => ' '.repeat(n),
  'line breaks': n => `a:\n${'\n'.repeat(n)} b`,
  tabs: n => `[${'\t'.repeat(n)}]`,
  indentation: n =>
    Array.from({ length: 290 }, (_, i) => `${' '.repeat(i)}a:`)
      .join('\n')
      .repeat(1) + '\n#'.repeat(n / 2),
  'a literal': n => `a: |\n${' x\n'.repeat(n / 3)}`,
  'a folded text': n => `a: >\n${' x\n'.repeat(n / 3)}`,
  'empty lines of a literal': n => `a: |\n${'\n'.repeat(n)}`,
  'plain lines': n => 'a\n'.repeat(n / 2),
  'plain words': n => 'a '.repeat(n / 2),
  'quoted lines': n => `"${'a\n'.repeat(n / 2)}"`,
  escapes: n => `"${'\\n'.repeat(n / 2)}"`,
  'escaped line breaks': n => `"${'\\\n'.repeat(n / 2)}"`,
  'single quotes': n => `'${"''".repeat(n / 2)}'`,
  digits: n => '1'.repeat(n),
  'hexadecimal digits': n => `0x${'f'.repeat(n)}`,
  zeros: n => '0'.repeat(n),
  underscores: n => '1_'.repeat(n / 2),
  'a long exponent': n => `1e${'1'.repeat(n)}`,
  'nearly a time': n => `2001-01-01${' '.repeat(n)}x`,
  binary: n => `!!binary |\n${' QUJD\n'.repeat(n / 6)}`,
  'letters of several bytes': n => '- 😀é\n'.repeat(n / 5),
  'separators of lines': n => '\u2028'.repeat(n),
  'carriage returns': n => '- a\r\n'.repeat(n / 5),
};

t.test('reading takes time proportional to the length', async t => {
  for (const [name, shape] of Object.entries(shapes)) {
    const [short, long] = [shape(size), shape(16 * size)];
    await isLinear(
      t,
      name,
      () => readYaml(short),
      () => readYaml(long),
    );
  }
});

const values: Readonly<Record<string, (n: number) => unknown>> = {
  keys: n => Object.fromEntries(Array.from({ length: n / 16 }, (_, i) => [`key-${i}`, i])),
  'a long text': n => ({ a: 'word '.repeat(n / 5) }),
  lines: n => ({ a: 'line\n'.repeat(n / 5) }),
  'control characters': n => ({ a: '\u0001'.repeat(n) }),
  quotes: n => ({ a: `${"'".repeat(n)}: ` }),
  blanks: n => ({ a: `x${' '.repeat(n)}` }),
  items: n => Array.from({ length: n / 4 }, (_, i) => i),
  digits: n => ({ a: '1'.repeat(n) }),
  'nearly sexagesimal': n => ({ a: `1${':1'.repeat(n / 2)}x` }),
};

t.test('writing takes time proportional to the length', async t => {
  for (const [name, shape] of Object.entries(values)) {
    const [short, long] = [shape(size), shape(16 * size)];
    await isLinear(
      t,
      name,
      () => writeYaml(short),
      () => writeYaml(long),
    );
  }
});

t.test('sorting keys with many digits takes linear time', async t => {
  const keyOf = (n: number, end: string): string => `${'1'.repeat(n)}a${end}`;
  const comparing = (n: number) => () => compareKeys(keyOf(n, '0'), keyOf(n, '2'));
  await isLinear(t, 'two keys', comparing(size), comparing(16 * size));
});
