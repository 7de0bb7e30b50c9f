import t from 'tap';
import { describeFlags, didYouMean, parseFlags, UsageError } from '../../../cli/flags/flags.js';

const table = {
  'data-dir': { type: 'string', default: './x', help: 'where', value: 'D' },
  members: { type: 'number', short: 'm', default: 0, help: 'how many' },
  watch: { type: 'boolean', short: 'w', help: 'go on' },
  all: { type: 'boolean', short: 'A', help: 'all' },
  output: { type: 'string', short: 'o', help: 'form' },
  list: { type: 'list', short: 'l', help: 'several' },
} as const;

t.test('forms of flags', async t => {
  const rows: readonly { given: string; expect: object; rest?: readonly string[] }[] = [
    { given: '', expect: { 'data-dir': './x', members: 0, watch: false, output: '', list: [] } },
    { given: '--data-dir=a', expect: { 'data-dir': 'a' } },
    { given: '--data-dir a', expect: { 'data-dir': 'a' } },
    { given: '--data-dir=', expect: { 'data-dir': '' } },
    { given: '--data-dir --watch', expect: { 'data-dir': '--watch', watch: false } },
    { given: '--watch', expect: { watch: true } },
    { given: '--watch=false', expect: { watch: false } },
    { given: '--watch false', expect: { watch: true }, rest: ['false'] },
    { given: '-w=0', expect: { watch: false } },
    { given: '-wA', expect: { watch: true, all: true } },
    { given: '-o=json', expect: { output: 'json' } },
    { given: '-ojson', expect: { output: 'json' } },
    { given: '-o json', expect: { output: 'json' } },
    { given: '-wojson', expect: { watch: true, output: 'json' } },
    { given: '-m 3', expect: { members: 3 } },
    { given: '--members=-2', expect: { members: -2 } },
    { given: '--list=a,b --list c', expect: { list: ['a', 'b', 'c'] } },
    { given: 'up --watch x -- --all', expect: { watch: true, all: false }, rest: ['up', 'x', '--all'] },
    { given: '-', expect: {}, rest: ['-'] },
  ];
  for (const { given, expect, rest = [] } of rows) {
    const parsed = parseFlags(table, given.split(' ').filter(Boolean));
    t.match(parsed.values, expect, given);
    t.same(parsed.rest, rest, given);
  }
  t.same([...parseFlags(table, ['--watch', '-m', '1']).given], ['watch', 'members']);
});

t.test('mistakes', async t => {
  const rows: Readonly<Record<string, string>> = {
    '--data-dri=x': 'unknown flag: --data-dri; did you mean --data-dir?',
    '--zzzzzzzz': 'unknown flag: --zzzzzzzz',
    '-x': 'unknown shorthand flag: "x" in -x',
    '--members=two': 'invalid value "two" for --members: want a whole number',
    '--watch=perhaps': 'invalid value "perhaps" for --watch: want true or false',
    '--output': 'flag needs a value: --output',
    '-o': 'flag needs a value: -o',
    '--constructor': 'unknown flag: --constructor',
  };
  for (const [given, text] of Object.entries(rows))
    t.throws(() => parseFlags(table, [given]), new UsageError(text), given);
});

t.test('didYouMean', async t => {
  t.equal(didYouMean('memebrs', ['members', 'watch']), '; did you mean members?');
  t.equal(didYouMean('mem', ['members', 'watch']), '; did you mean members?');
  t.equal(didYouMean('q', ['members', 'watch']), '');
});

t.test('the help text of a table of flags', async t => {
  t.equal(
    describeFlags({ watch: table.watch, 'data-dir': table['data-dir'], members: table.members }),
    [
      '  -w, --watch            go on',
      '      --data-dir D       where (default ./x)',
      '  -m, --members number   how many (default 0)',
    ].join('\n'),
  );
});
