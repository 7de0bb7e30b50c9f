import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import { type Random, random } from '../../random.js';
import { undisturbed } from '../../undisturbed.js';

interface Report {
  readonly evaluated: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly slowest: number;
  readonly slow: string;
  readonly largest: number;
  readonly large: string;
}

/** Evaluates expressions in a child process whose heap has `heap` MiB. The process dies if they need more. */
async function evaluated(expressions: readonly string[], heap = 320): Promise<Report> {
  const script = new URL('bounded-child.js', import.meta.url).pathname;
  const child = spawn(process.execPath, [`--max-old-space-size=${heap}`, script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(expressions.join('\n'));
  const ended = new Promise<number | null>(resolve => {
    child.once('exit', resolve);
  });
  const output = await text(child.stdout);
  const code = await ended;
  if (code !== 0) throw new Error(`the process ended with ${code}`);
  return JSON.parse(output) as Report;
}

/** Nests `cel.bind` calls, each of which binds a name to an expression of the previous name. */
function chain(
  levels: number,
  first: string,
  step: (before: string) => string,
  last: (name: string) => string,
): string {
  let out = last(`a${levels}`);
  for (let i = levels; i > 0; i--) out = `cel.bind(a${i}, ${step(`a${i - 1}`)}, ${out})`;
  return `cel.bind(a0, ${first}, ${out})`;
}

const doubled = (a: string): string => `${a} + ${a}`;

const doublings = [
  chain(30, '[1]', doubled, a => `${a}.size() > 0`),
  chain(30, '[1]', doubled, a => `${a} == ${a} + [1]`),
  chain(60, '[1]', doubled, a => `${a}.size() > 0`),
  chain(30, '[1]', doubled, a => `${a}.exists(i, i == 2)`),
  chain(30, '[1]', doubled, a => `2 in ${a}`),
  chain(30, '[1]', doubled, a => `${a} == ${a}.map(i, i)`),
  ...['sort()', 'reverse()', 'distinct()', 'slice(1, 500000000)', 'sum()', 'max()', 'isSorted()', 'indexOf(3)'].map(
    call => chain(30, '[1]', doubled, a => `${a}.${call} == null`),
  ),
  ...['sets.contains', 'sets.equivalent', 'sets.intersects'].map(call =>
    chain(30, '[1]', doubled, a => `${call}(${a}, ${a})`),
  ),
  chain(30, "['abc']", doubled, a => `${a}.join('') == ''`),
  chain(30, '[[1]]', doubled, a => `${a}.flatten().size() > 0`),
  chain(30, "'abc'", doubled, a => `${a}.size() > 0`),
  chain(30, "b'abc'", doubled, a => `${a}.size() > 0`),
  chain(
    30,
    '[1]',
    a => `[${a}, ${a}]`,
    a => `${a} == ${a} && ${a} != [${a}]`,
  ),
  chain(
    30,
    '[1]',
    a => `[${a}, ${a}]`,
    a => `${a}.flatten(30).size() > 0`,
  ),
  chain(
    30,
    '[1]',
    a => `[${a}, ${a}]`,
    a => `'%s'.format([${a}]) == ''`,
  ),
  chain(
    30,
    '[1]',
    a => `[${a}, ${a}]`,
    a => `${a}.indexOf(${a}) == 0`,
  ),
  chain(
    30,
    '{1: 1}',
    a => `{1: ${a}, 2: ${a}}`,
    a => `${a} == ${a}.transformMap(k, v, v)`,
  ),
  chain(
    30,
    '{1: 1}',
    a => `{1: dyn(${a}), 2: dyn(${a})}`,
    a => `${a} == ${a}.transformMap(k, v, v)`,
  ),
  chain(
    20,
    "'a'",
    a => `${a}.replace('', ${a})`,
    a => `${a}.size() > 0`,
  ),
  chain(
    8,
    'lists.range(10)',
    a => `${a}.map(i, ${a})`,
    a => `${a}.flatten(9).size() > 0`,
  ),
  chain(
    200,
    'dyn([1])',
    a => `dyn([${a}])`,
    a => `${a} == ${a}`,
  ),
  `optional.of(1)${'.optMap(y, y)'.repeat(200)}.hasValue()`,
];

const large = [
  'x.s.indexOf(x.t) >= 0',
  'x.t.indexOf(x.t + "c") >= 0',
  '(x.t + x.t + x.t).indexOf("b" + x.t) >= 0',
  '(x.t + x.t + x.t).lastIndexOf(x.t.replace("a", "aa")) >= 0',
  'x.u.lastIndexOf("é" + x.u) >= 0',
  '(x.t + x.t).contains(x.t + "c")',
  'x.s.split("").size() > 0 && x.s.split("a").size() > 0',
  'x.l.map(i, x.s.split("")).size() > 0',
  'x.l.all(i, x.s.size() > i)',
  'x.l.all(i, x.s.charAt(i) != "")',
  'x.l.all(i, x.m == x.m && x.m != {})',
  'x.l.all(i, x.l == x.l.map(j, j))',
  'x.l.all(i, x.d == x.d.map(j, j))',
  'x.l.all(i, x.d.flatten(1000) == [])',
  'x.l.map(i, x.s).sort() == []',
  'x.l.map(i, x.s + string(i)).sort() == []',
  'x.l.map(i, x.s).join("") == ""',
  'x.l.map(i, "%s".format([x.s])) == []',
  '"%.999999f".format([1.0]) == "" && "%.1000000e".format([1.0]) == ""',
  'x.l.map(i, [1, 2, 3, i, ' + '1, '.repeat(3000) + '1]).size() > 0',
  `[${'1, '.repeat(3000)}1].filter(i, [${'1, '.repeat(1500)}1].exists_one(j, false)) == []`,
  'x.l.map(i, {"a": i, "b": {"c": [i]}}).size() > 0',
  'x.l.all(i, x.s.matches("(a|b)*a(a|b){12}c" + string(i)))',
  'x.s.findAll("(a?b?){50}[cd]") == []',
  'x.s.findAll("").size() > 0',
  'x.l.all(i, "a".matches("(b?){400}" + string(i)))',
  "x.s.matches('^(a?){1000}a{1000}$')",
  'x.l.all(i, timestamp("2024-01-01T00:00:00Z").getHours("Europe/Berlin") > 0)',
  'x.l.all(i, timestamp("2024-01-01T00:00:00Z").getHours("Etc/GMT+" + string(i % 12)) > 0)',
  'int(x.s.replace("a", "1").replace("b", "2")) > 0',
  'isQuantity(x.s.replace("a", "1").replace("b", "2"))',
  'x.l.all(i, isURL("http://a/" + x.s))',
  'x.l.all(i, x.s < x.s + "a")',
  'x.l.map(i, strings.quote(x.s)).size() > 0',
  'x.l.map(i, base(x.s))',
  'lists.range(1000000).map(i, lists.range(1000000)).size() > 0',
  'x.l.all(i, lists.range(1000000).size() > 0)',
  'x.l.transformMap(i, v, x.s).size() > 0',
  'x.l.all(i, {x.s: i}[x.s] == i)',
  'x.l.all(i, sets.contains(x.l, x.l))',
  'x.l.all(i, x.l.all(j, x.l.all(k, i + j + k >= 0)))',
];

/** Returns a random expression of nested calls, each of which makes its operands larger. */
function generated({ below, pick }: Random): string {
  const name = (depth: number): string => (depth > 0 && below(2) ? `v${below(depth)}` : '');
  const of = (kind: 'list' | 'text', depth: number, left: number): string => {
    const list = (): string => of('list', depth, left - 1);
    const string = (): string => of('text', depth, left - 1);
    if (left <= 0)
      return kind === 'list' ? pick(['x.l', '[1, x.n]', 'lists.range(3000)']) : pick(['x.s', 'x.t', "'ab'"]);
    if (kind === 'list')
      return pick([
        () => `(${list()} + ${list()})`,
        () => `${list()}.map(v${depth}, ${of('list', depth + 1, left - 1)})`,
        () => `${list()}.map(v${depth}, ${name(depth + 1) || '1'})`,
        () => `${list()}.filter(v${depth}, ${of('text', depth + 1, left - 2)} != 'q')`,
        () => `cel.bind(v${depth}, ${list()}, [v${depth}, v${depth}, v${depth}])`,
        () => `cel.bind(v${depth}, ${list()}, v${depth} + v${depth} + v${depth})`,
        () => `${string()}.split(${pick(["''", "'a'", 'x.t'])})`,
        () => `${string()}.findAll(${pick(["'a+'", "''", "'(a|b)*c'"])})`,
        () => `dyn(${list()}).${pick(['flatten()', 'reverse()', 'distinct()', 'slice(0, 1)'])}`,
        () => `[${string()}, ${string()}]`,
      ])();
    return pick([
      () => `(${string()} + ${string()})`,
      () => `${string()}.replace(${pick(["''", "'a'", "'ab'"])}, ${string()})`,
      () => `${list()}.map(v${depth}, ${of('text', depth + 1, left - 1)}).join(${pick(["''", 'x.t'])})`,
      () => `'%s %s'.format([${list()}, ${string()}])`,
      () => `cel.bind(v${depth}, ${string()}, v${depth} + v${depth})`,
      () => `${string()}.${pick(['upperAscii()', 'trim()', 'substring(1)', 'charAt(3)'])}`,
      () => `strings.quote(${string()})`,
    ])();
  };
  const [a, b] = [of('list', 0, 1 + below(5)), of('text', 0, 1 + below(4))];
  return pick([
    `${a} == ${of('list', 0, 2)}`,
    `${a}.size() > ${b}.indexOf(${of('text', 0, 2)})`,
    `${b} in ${a}`,
    `${a}.all(i, i == ${b})`,
    `${b}.contains(${of('text', 0, 2)}) || '%s'.format([${a}]).matches('(a|b)*c')`,
  ]);
}

/** CPU milliseconds of an expression: the bound, and some more for the rest of a step, garbage collection and compiling. */
const limit = 50 + 250;

/** As `evaluated`, again, a few times, while an expression takes too long. */
const measured = (expressions: readonly string[]): Promise<Report> =>
  undisturbed(
    ({ slowest }) => slowest < limit,
    () => evaluated(expressions),
  );

function check(t: Test, { slowest, slow, largest, large: source }: Report): void {
  t.ok(slowest < limit, `${slowest} ms: ${slow}`);
  t.ok(largest < 200, `${largest} MiB: ${source}`);
}

t.test('values that double in size are cancelled before they take time or memory', async t =>
  check(t, await measured(doublings)),
);

t.test('operations on large operands take bounded time and memory', async t => check(t, await measured(large)));

t.test('random expressions take bounded time and memory', async t => {
  const draw = random(Number(process.env['CEL_SEED'] ?? 17));
  const report = await measured(Array.from({ length: 400 }, () => generated(draw)));
  check(t, report);
  t.ok(report.evaluated > 150, `${report.evaluated} evaluated, ${report.cancelled} cancelled`);
});
