import { RE2JS } from 're2js';
import t from 'tap';
import { goRegexp } from '../../../lib/regexp/go-regexp.js';
import { regexpMatcher } from '../../../lib/regexp/regexp-matcher.js';
import { OutOfSteps, StepLimit } from '../../../lib/steps.js';

const free = new StepLimit(Infinity);

/** Returns pseudo-random numbers, the same in each run. */
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

t.test('matches are those of RE2', t => {
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
      const found = matcher.scan(text, 0, free)?.found;
      if (found === undefined) continue;
      compared++;
      if (found !== regexp.test(text)) t.fail(`${source} in ${JSON.stringify(text)}: ${found}`);
    }
  }
  t.ok(compared > 8000, `${compared} compared`);
  t.end();
});

t.test('unsupported patterns are left to the RE2 engine', t => {
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

t.test('patterns with many states fall back, and are matched all the same', t => {
  const source = '^(a|b)*a(a|b){14}$';
  const matcher = regexpMatcher(source);
  const draw = random(3);
  const text = Array.from({ length: 5000 }, () => pick(draw, ['a', 'b'])).join('');
  const results = new Set([0, 1].map(() => matcher?.scan(text, 0, free)?.found));
  t.same([...results], [undefined]);
  const regexp = goRegexp(source);
  if ('error' in regexp) throw new Error(regexp.error);
  t.equal(regexp.test(text), text.at(-15) === 'a');
  t.end();
});

t.test('texts of the largest body size are matched in milliseconds', t => {
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

const compiled = (source: string): Exclude<ReturnType<typeof goRegexp>, { error: string }> => {
  const regexp = goRegexp(source);
  if ('error' in regexp) throw new Error(regexp.error);
  return regexp;
};

t.test('the position of a match is the one of RE2', t => {
  const draw = random(11);
  const more = [...atoms, '\\b', '\\B', '(?i)B', '(?m)^', '(?m)$', '\\pL', '(?s).', '(a|ab)', '(b*?)'];
  const letters = ['a', 'b', 'B', '-', '.', '1', ' ', '\n', 'é', '😀'];
  let compared = 0;
  for (let i = 0; i < 3000; i++) {
    const source = Array.from({ length: 1 + draw(4) }, () => pick(draw, more) + pick(draw, times)).join(
      draw(4) ? '' : '|',
    );
    let expected: RE2JS;
    try {
      expected = RE2JS.compile(source);
    } catch {
      continue;
    }
    const regexp = compiled(source);
    for (let j = 0; j < 4; j++) {
      const text = Array.from({ length: draw(12) }, () => pick(draw, letters)).join('');
      const matcher = expected.matcher(text);
      const wanted = matcher.find() ? { at: matcher.start(0), end: matcher.end(0) } : undefined;
      const found = regexp.find(text, 0, free);
      compared++;
      if (found?.at !== wanted?.at || found?.end !== wanted?.end)
        t.fail(`${source} in ${JSON.stringify(text)}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
    }
  }
  t.ok(compared > 8000, `${compared} compared`);
  t.end();
});

/** Returns the CPU milliseconds of `run`. */
function spent(run: () => unknown): number {
  const started = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}

t.test('patterns that would become large are refused at once', t => {
  const alternatives = Array.from({ length: 100_000 }, (_, i) => `a${i}`).join('|');
  const tooLarge = [
    alternatives,
    'a'.repeat(100_000),
    `[${Array.from({ length: 20_000 }, (_, i) => String.fromCodePoint(0x100 + 2 * i)).join('')}]`,
    '((a{10}){10}){10}'.repeat(100),
    'a*'.repeat(20_000),
    '('.repeat(50_000),
    '[a-z]{1000}'.repeat(10),
  ];
  for (const source of tooLarge) {
    const ms = spent(() => {
      const regexp = goRegexp(source);
      t.match(regexp, { error: /^error parsing regexp: expression too large: `/ }, source.slice(0, 40));
      t.ok('error' in regexp && regexp.error.length < 200);
    });
    t.ok(ms < 50, `${ms} ms`);
  }
  t.match(goRegexp('a{1001}'), { error: 'error parsing regexp: invalid repeat count: `{1001}`' });
  t.match(goRegexp('((a{100}){100}){100}'), { error: /invalid repeat count|too large/ });
  t.match(goRegexp('('.repeat(1500)), { error: /nests too deeply|missing closing/ });
  t.end();
});

t.test('patterns of real definitions are not too large', t => {
  for (const source of [
    '^(a?){1000}a{1000}$',
    '^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\\.){0,8}[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$',
    '^[^\\x00-\\x1f]{1,1000}$',
    '^([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}$',
    '[[:alpha:]{]{2}[]{2}]',
  ])
    t.ok('test' in goRegexp(source), source);
  t.end();
});

t.test('a match ends at its step limit for every pattern', t => {
  const draw = random(5);
  const long = Array.from({ length: 1_000_000 }, () => pick(draw, ['a', 'b'])).join('');
  const hard = [
    '(a|b)*a(a|b){20}[cd]',
    '[ab]*a[ab]{200}[cd]',
    '(a?b?){100}[cd]',
    '^(a?){1000}a{1000}$',
    '(?i)(x+x+)+y',
    '\\b(a|b)*[cd]\\b',
    '(\\pL|[ab]){50,100}[cd]',
    '((a*)*)*[cd]',
  ];
  for (const source of hard) {
    const regexp = compiled(source);
    regexp.test('warm');
    const ms = spent(() => t.equal(regexp.test(long), false, source));
    t.ok(ms < 250, `${source}: ${ms} ms`);
    try {
      regexp.find(long, 0, new StepLimit(100_000));
    } catch (error) {
      t.type(error, OutOfSteps);
    }
  }
  t.equal(compiled('^(a?){100}a{100}$').test('a'.repeat(100)), true);
  t.equal(compiled('^(a?){100}a{100}$').test('a'.repeat(99)), false);
  t.end();
});
