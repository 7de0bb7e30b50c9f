import { RE2JS } from 're2js';
import t from 'tap';
import { goRegexp } from '../../../../openapi/meta/regexp/go-regexp.js';
import { regexpMatcher } from '../../../../openapi/meta/regexp/regexp-matcher.js';

/** Numbers that look random, and are the same each time. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const pick = <T>(draw: (below: number) => number, from: readonly T[]): T => from[draw(from.length)] as T;

const atoms = [
  'a',
  'b',
  '-',
  '\\.',
  '.',
  '[a-c]',
  '[^a]',
  '\\d',
  '\\W',
  '\\s',
  '^',
  '$',
  '[-a]',
  '[]b]',
  'é',
  '[α-ω😀]',
  '\\A',
  '\\z',
];
const times = ['', '', '', '*', '+', '?', '{2}', '{0,2}', '{1,}', '*?', '{0}', '{,2}', '{x'];

function pattern(draw: (below: number) => number, depth: number): string {
  const parts = Array.from({ length: 1 + draw(3) }, () => {
    const atom = depth > 0 && draw(3) === 0 ? `(${draw(2) ? '?:' : ''}${pattern(draw, depth - 1)})` : pick(draw, atoms);
    return atom + pick(draw, times);
  });
  return parts.join(draw(5) === 0 ? '|' : '');
}

t.test('it says what RE2 says', t => {
  const draw = random(7);
  const letters = ['a', 'b', 'c', '-', '.', '1', ' ', '\n', 'é', 'β', '😀', ']', '{', 'x', ','];
  let compared = 0;
  for (let i = 0; i < 1500; i++) {
    const source = pattern(draw, 2);
    let regexp: RE2JS;
    try {
      regexp = RE2JS.compile(source);
    } catch {
      continue;
    }
    const matcher = regexpMatcher(source);
    for (let j = 0; j < 8 && matcher; j++) {
      const text = Array.from({ length: draw(8) }, () => pick(draw, letters)).join('');
      const found = matcher.test(text);
      if (found === undefined) continue;
      compared++;
      if (found !== regexp.test(text)) t.fail(`${source} in ${JSON.stringify(text)}: ${found}`);
    }
  }
  t.ok(compared > 8000, `${compared} compared`);
  t.end();
});

t.test('what it does not know is left to others', t => {
  for (const source of [
    '\\bfoo',
    '(?i)foo',
    '(?P<n>a)',
    '\\pL+',
    '[[:alpha:]]',
    '(?m)^a$',
    '\\x41',
    '(?:(?:a{1000}){2}){2}',
  ])
    t.equal(regexpMatcher(source), undefined, source);
  for (const [source, yes, no] of [
    ['\\bfoo\\b', 'a foo', 'afoo'],
    ['^(?i)foo$', 'FOO', 'fo'],
    ['^[[:alpha:]]+$', 'abc', 'ab1'],
    ['^\\pL$', 'é', '1'],
  ] as const) {
    const regexp = goRegexp(source);
    if ('error' in regexp) throw new Error(regexp.error);
    t.same([regexp.test(yes), regexp.test(no)], [true, false], source);
  }
  t.end();
});

t.test('patterns with many states give up, and are matched all the same', t => {
  const source = '^(a|b)*a(a|b){14}$';
  const matcher = regexpMatcher(source);
  const draw = random(3);
  const text = Array.from({ length: 5000 }, () => pick(draw, ['a', 'b'])).join('');
  const results = new Set([0, 1].map(() => matcher?.test(text)));
  t.same([...results], [undefined]);
  const regexp = goRegexp(source);
  if ('error' in regexp) throw new Error(regexp.error);
  t.equal(regexp.test(text), text.at(-15) === 'a');
  t.end();
});

t.test('the largest bodies take milliseconds', t => {
  const largest = 3 * 1024 * 1024;
  const long = 'a'.repeat(largest);
  for (const source of ['^[a-z]*$', '^(a|b)*c$', '^(\\w+\\s?)*$', '(a?){50}b', '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$']) {
    const regexp = goRegexp(source);
    if ('error' in regexp) throw new Error(regexp.error);
    regexp.test('warm');
    const started = process.cpuUsage();
    regexp.test(long);
    const { user, system } = process.cpuUsage(started);
    t.ok(user + system < 200_000, `${source}: ${Math.round((user + system) / 1000)} ms`);
  }
  t.end();
});
