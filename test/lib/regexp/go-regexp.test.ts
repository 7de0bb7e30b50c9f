import { RE2JS } from 're2js';
import t, { type Test } from 'tap';
import { type GoRegexp, goRegexp } from '../../../lib/regexp/go-regexp.js';
import { regexpAutomaton } from '../../../lib/regexp/regexp-automaton.js';
import { type RegexpProgram, op, regexpProgram } from '../../../lib/regexp/regexp-program.js';
import { type RegexpMatch, RegexpSearch } from '../../../lib/regexp/regexp-search.js';
import { OutOfSteps, StepLimit } from '../../../lib/steps.js';
import { cpuCost } from '../../cpu-cost.js';

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

function compiled(source: string): GoRegexp {
  const regexp = goRegexp(source);
  if ('error' in regexp) throw new Error(regexp.error);
  return regexp;
}

function programOf(source: string): RegexpProgram {
  const program = regexpProgram(source);
  if ('error' in program) throw new Error(program.error);
  return program;
}

/** Reports whether a pattern is one of RE2. */
const isValid = (source: string): boolean => 'test' in goRegexp(source);

const atoms = [
  ...['a', 'b', '-', '\\.', '.', '[a-c]', '[^a]', '\\d', '\\W', '\\s', '[-a]', '[]b]', '[^\\n]', '[[:alpha:]]'],
  ...['^', '$', '\\A', '\\z', '\\b', '\\B', '(?m)^', '(?m)$', '(?m:^)', '(?m:$)'],
  ...['é', '[α-ω😀]', '\\pL', '\\p{Greek}', '\\x61', '\\x{1F600}', '\\Qa.\\E'],
  ...['(?i)B', '(?i:k)', '(?i:ß)', '(?i:[j-l])', '(?s).', '(?s:.)', '(?U)a+', '(a|ab)', '(b*?)', '(?P<n>a)'],
];
const times = ['', '', '', '*', '+', '?', '{2}', '{0,2}', '{1,}', '*?', '+?', '??', '{0}', '{,2}', '{x'];
const letters = [
  ...['a', 'b', 'B', 'c', 'k', 'K', '\u212a', 's', '\u017f', 'ß', 'ẞ', 'é', 'É', 'β', '😀', '\ud800'],
  ...['-', '.', '1', ' ', '\n', '_', ']', '{', 'x', ','],
];

function pattern(draw: (below: number) => number, depth: number): string {
  const parts = Array.from({ length: 1 + draw(3) }, () => {
    const atom = depth > 0 && draw(3) === 0 ? `(${draw(2) ? '?:' : ''}${pattern(draw, depth - 1)})` : pick(draw, atoms);
    return atom + pick(draw, times);
  });
  return parts.join(draw(5) === 0 ? '|' : '');
}

/** Returns what re2js's own matchers find: the reference for ours. */
function reference(regexp: RE2JS, text: string): RegexpMatch | undefined {
  const matcher = regexp.matcher(text);
  return matcher.find() ? { at: matcher.start(0), end: matcher.end(0) } : undefined;
}

const isInsidePair = (text: string, at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff;

/** Compares the automaton, the threads and both together with the reference, on a text and on its end. */
function compare(t: Test, source: string, texts: readonly string[], draw: (below: number) => number): number {
  const regexp = RE2JS.compile(source);
  const program = programOf(source);
  const [automaton, threads, whole] = [regexpAutomaton(program), new RegexpSearch(program), compiled(source)];
  let compared = 0;
  for (const text of texts) {
    const wanted = reference(regexp, text);
    const scanned = automaton?.scan(text, 0, free);
    if (scanned) compared++;
    const about = `${source} in ${JSON.stringify(text)}`;
    if (scanned && scanned.found !== (wanted !== undefined)) t.fail(`${about}: the automaton says ${scanned.found}`);
    if (whole.test(text) !== (wanted !== undefined)) t.fail(`${about}: test`);
    for (const found of [threads.find(text, 0, free), whole.find(text, 0, free)])
      if (found?.at !== wanted?.at || found?.end !== wanted?.end)
        t.fail(`${about}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
    const from = draw(text.length + 1);
    if (from > 0 && isInsidePair(text, from)) continue;
    const [later, byThreads] = [whole.find(text, from, free), threads.find(text, from, free)];
    if (later?.at !== byThreads?.at || later?.end !== byThreads?.end) t.fail(`${about}, from ${from}`);
  }
  return compared;
}

t.test('matches of generated patterns are those of re2js', t => {
  const draw = random(7);
  let compared = 0;
  for (let i = 0; i < 3000; i++) {
    const source = pattern(draw, 2);
    if (!isValid(source)) continue;
    const texts = Array.from({ length: 6 }, () => Array.from({ length: draw(9) }, () => pick(draw, letters)).join(''));
    compared += compare(t, source, texts, draw);
  }
  t.ok(compared > 12_000, `${compared} compared`);
  t.end();
});

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const decimal = '(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))';
/** Patterns of the definitions of Karmada, of the Gateway API, and some that other projects use, with texts that match. */
const real: readonly (readonly [pattern: string, ...texts: string[]])[] = [
  [`^(\\+|-)?${decimal}(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?${decimal}))?$`, '500m', '128Mi', '-1.5e+3'],
  ['^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$', 'FullyAppliedSuccess', 'A'],
  [
    `^(${label}(\\.${label})*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`,
    'Scheduled',
    'gateway.networking.k8s.io/Accepted',
  ],
  [`^(\\*\\.)?${label}(\\.${label})*$`, '*.example.com', 'shop.eu-central-1.example.com'],
  [`^$|^${label}(\\.${label})*$`, '', 'gateway.networking.k8s.io'],
  ['^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$', 'HTTPRoute'],
  ["^[A-Za-z0-9!#$%&'*+\\-.^_\\x60|~]+$", 'X-Forwarded-For'],
  ['^([0-9]{1,5}(h|m|s|ms)){1,4}$', '1h30m', '10s500ms'],
  ['^(([^:/?#]+):)(//([^/?#]*))([^?#]*)(\\?([^#]*))?(#(.*))?', 'https://example.com/path?x=1#y'],
  [
    `^Hostname|IPAddress|NamedAddress|${label}(\\.${label})*\\/[A-Za-z0-9\\/\\-._~%!$&'()*+,;=:]+$`,
    'Hostname',
    'example.com/a',
  ],
  ['^[\\p{L}\\p{N} ._-]+$', 'Größe 12'],
  ['(?i)^(true|false|yes|no)$', 'True', 'NO'],
  ['\\bkind:\\s*\\w+\\b', 'the kind: Pod'],
];

t.test('matches of real patterns are those of re2js, of texts that match and of similar ones', t => {
  const draw = random(13);
  for (const [source, ...texts] of real) {
    for (const text of texts) t.equal(compiled(source).test(text), true, `${source}: ${text}`);
    const near = texts.flatMap(text => Array.from({ length: 60 }, () => changed(draw, text)));
    compare(t, source, [...texts, ...near], draw);
  }
  t.end();
});

/** Returns a text with some characters removed, replaced or added. */
function changed(draw: (below: number) => number, text: string): string {
  const characters = [...text];
  for (let i = 0; i <= draw(2); i++)
    characters.splice(
      draw(characters.length + 1),
      draw(2),
      ...[pick(draw, [...letters, '/', ':', '0', 'z'])].slice(draw(2)),
    );
  return characters.join('');
}

t.test('an ASCII letter with (?i) has the cases that re2js gives it', t => {
  let compared = 0;
  for (let letter = 0x21; letter < 0x7f; letter++) {
    const source = `(?i)${/\w/.test(String.fromCharCode(letter)) ? '' : '\\'}${String.fromCharCode(letter)}`;
    const program = programOf(source);
    const automaton = regexpAutomaton(program);
    const [instruction] = program.inst.filter(({ op: kind }) => kind === op.runes || kind === op.rune);
    for (let code = 0; instruction && code < 0x3000; code++) {
      const found = automaton?.scan(String.fromCharCode(code), 0, free)?.found;
      compared++;
      if (found !== instruction.matchRune(code)) t.fail(`${source}: ${code.toString(16)}: ${found}`);
    }
  }
  t.equal(compared, 94 * 0x3000);
  t.end();
});

t.test('programs without an automaton are run by threads', t => {
  for (const source of ['(?i)ß', '(?:(?:a{1000}){2}){2}', '(a?b?c?){500}']) {
    if (isValid(source)) t.equal(regexpAutomaton(programOf(source)), undefined, source);
  }
  t.same([compiled('^(?i)ß$').test('ẞ'), compiled('^(?i)ß$').test('s')], [true, false]);
  t.end();
});

t.test('patterns with many states fall back, and are matched all the same', t => {
  const source = '^(a|b)*a(a|b){14}$';
  const automaton = regexpAutomaton(programOf(source));
  const draw = random(3);
  const text = Array.from({ length: 5000 }, () => pick(draw, ['a', 'b'])).join('');
  const results = new Set([0, 1].map(() => automaton?.scan(text, 0, free)?.found));
  t.same([...results], [undefined]);
  const regexp = goRegexp(source);
  if ('error' in regexp) throw new Error(regexp.error);
  t.equal(regexp.test(text), text.at(-15) === 'a');
  t.end();
});

t.test('texts of the largest body size are matched in milliseconds', async t => {
  const largest = 3 * 1024 * 1024;
  const long = 'a'.repeat(largest);
  for (const [source, expected] of [
    ['^[a-z]*$', true],
    ['^(a|b)*c$', false],
    ['^(\\w+\\s?)*$', true],
    ['(a?){50}b', false],
    ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', true],
    ['(?i)^[A-Z]*$', true],
    ['^\\p{L}*$', true],
    ['\\bb\\b', false],
  ] as const) {
    const regexp = goRegexp(source);
    if ('error' in regexp) throw new Error(regexp.error);
    regexp.test('warm');
    t.equal(regexp.test(long), expected, source);
    const ms = await cpuCost(200, () => regexp.test(long));
    t.ok(ms < 200, `${source}: ${Math.round(ms)} ms`);
  }
});

t.test('patterns that would become large are refused at once', async t => {
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
    const ms = await cpuCost(50, () => {
      const regexp = goRegexp(source);
      t.match(regexp, { error: /^error parsing regexp: expression too large: `/ }, source.slice(0, 40));
      t.ok('error' in regexp && regexp.error.length < 200);
    });
    t.ok(ms < 50, `${ms} ms`);
  }
  t.match(goRegexp('a{1001}'), { error: 'error parsing regexp: invalid repeat count: `{1001}`' });
  t.match(goRegexp('((a{100}){100}){100}'), { error: /invalid repeat count|too large/ });
  t.match(goRegexp('('.repeat(1500)), { error: /nests too deeply|missing closing/ });
});

t.test('repeated classes of many characters are compiled in milliseconds', async t => {
  const odd = Array.from({ length: 2000 }, (_, i) => String.fromCodePoint(0x100 + 2 * i)).join('');
  for (const source of [`[${odd}]{1000}a`, `(?i)[${odd}]{1000}a`, '\\pL{200}']) {
    const ms = await cpuCost(50, () => compiled(source).prepare());
    t.ok(ms < 50, `${source.slice(0, 10)}: ${ms} ms`);
  }
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

t.test('a match ends at its step limit for every pattern', async t => {
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
    const ms = await cpuCost(250, () => t.equal(regexp.test(long), false, source));
    t.ok(ms < 250, `${source}: ${ms} ms`);
    try {
      regexp.find(long, 0, new StepLimit(100_000));
    } catch (error) {
      t.type(error, OutOfSteps);
    }
  }
  t.equal(compiled('^(a?){100}a{100}$').test('a'.repeat(100)), true);
  t.equal(compiled('^(a?){100}a{100}$').test('a'.repeat(99)), false);
});
