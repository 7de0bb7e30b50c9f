import t from 'tap';
import { parseJson } from '../../../lib/json/json.js';
import { exactSteps, parseSteps } from '../../../lib/json/parse-steps.js';
import { atOnce } from '../../../lib/time-slice.js';
import { random } from '../../random.js';

const parse = (text: string, pieceLength: number): unknown => atOnce(parseSteps(text, pieceLength));

const outcome = (run: () => unknown): unknown => {
  try {
    return { text: JSON.stringify(run()) };
  } catch (error) {
    return { error: (error as Error).name };
  }
};

t.test('documents are parsed as JSON.parse does, whatever the length of the pieces', async t => {
  const texts = [
    ...['', ' ', '1', '"a"', ' null ', '{}', ' { } ', '[]', '[ ]', '[1]', '{"a":1}', '{"a":[]}', '[[],{}]'],
    ...['{"a":{"b":[1,2,{"c":"x,y]}"}]},"d":[[[]]]}', '{"a":1,"a":2}', '{"a":{"b":1},"a":{"c":2}}'],
    ...['{"__proto__":{"x":[1,2,3,4]},"y":1}', '{"2":1,"1":2,"b":3}', '{"\\u0061":"\\"","b\\\\":["\\\\"]}'],
    ...['[1,]', '[,1]', '[,]', '[1,,2]', '{"a":1,}', '{,}', '{"a"}', '{"a":}', '{"a" 1}', '{a:1}', '{1:[1,2,3]}'],
    ...['[1}', '{"a":1]', '[[1,2,3}]', '{"a":[1,2,3}', '[1', '{"a":"b', '[1]]', '[1] 2', '[[1] [2]]', '[1 [2]]'],
    ...[
      '[[1,2],]',
      '{"a":[1,2],}',
      '[[1,2],,3]',
      '["a]',
      '[nul]',
      '[1\u00a0]',
      '[[[[[[[[1]]]]]]]]',
      '[x[1,2]]',
      '{"a":x[1]}',
    ],
  ];
  for (const text of texts)
    for (const length of [1, 2, 3, 5, 8, 100])
      t.same(
        outcome(() => parse(text, length)),
        outcome(() => JSON.parse(text)),
        `${text} in pieces of ${length}`,
      );
});

t.test('changed documents are parsed or refused as by JSON.parse', async t => {
  const { below, pick } = random(7);
  const value = (depth: number): unknown => {
    const kind = depth > 4 ? 0 : below(4);
    const members = Array.from({ length: kind === 0 ? 0 : below(5) }, () => value(depth + 1));
    if (kind === 1) return members;
    if (kind === 2) return Object.fromEntries(members.map(each => [pick(['a', 'b', '"', '\\', '1', 'ü']), each]));
    return pick<unknown>([1, -2.5e3, true, null, '', 'x,y', '{"[', '\\"', 'ü']);
  };
  for (let i = 0; i < 3000; i++) {
    const valid = JSON.stringify(value(0), undefined, pick([0, 1]));
    const at = below(valid.length);
    const text = pick([valid, valid, valid.slice(0, at) + pick([...'[]{},:"\\ 1']) + valid.slice(at + pick([0, 1]))]);
    const length = pick([1, 2, 4, 9]);
    const [got, want] = [outcome(() => parse(text, length)), outcome(() => JSON.parse(text))];
    if (JSON.stringify(got) !== JSON.stringify(want)) t.same(got, want, `${text} in pieces of ${length}`);
  }
});

t.test('no step takes many members, however they are nested', async t => {
  const range = (count: number) => Array.from({ length: count }, (_, i) => i);
  const keys = Object.fromEntries(range(20_000).map(i => [`k${i}`, i]));
  const documents = {
    'one object': keys,
    'a list of objects': range(20_000).map(i => ({ [`k${i}`]: i })),
    'an object deep inside': range(100).reduce<unknown>(inner => [{ inner }], keys),
  };
  const nativeParse = JSON.parse;
  let longest = 0;
  t.teardown(() => (JSON.parse = nativeParse));
  JSON.parse = (text: string) => {
    longest = Math.max(longest, text.length);
    return nativeParse(text) as unknown;
  };
  for (const [name, document] of Object.entries(documents)) {
    const text = JSON.stringify(document);
    let steps = 0;
    longest = 0;
    const run = parseSteps(text);
    let step = run.next();
    for (; !step.done; step = run.next()) steps++;
    t.same(step.value, document, name);
    t.ok(longest < 10_000, `${name}: at most ${longest} of ${text.length} characters are parsed at once`);
    t.ok(steps > 10, `${name}: ${steps} steps`);
  }
});

/** The methods of strings that are counted. */
interface Searching {
  readonly charCodeAt: (this: string, at: number) => number;
  readonly indexOf: (this: string, searched: string, from?: number) => number;
}

t.test('a long string deep inside is searched once, and a document that is too deep is refused at once', async t => {
  const methods: Searching = String.prototype;
  const { charCodeAt, indexOf } = methods;
  let reads = 0;
  t.teardown(() => Object.assign(String.prototype, { charCodeAt, indexOf }));
  Object.assign(String.prototype, {
    charCodeAt(this: string, at: number) {
      reads++;
      return charCodeAt.call(this, at);
    },
    indexOf(this: string, ...args: [string, number]) {
      reads++;
      return indexOf.apply(this, args);
    },
  });
  const nested = (depth: number, inner: string): string => `${'['.repeat(depth)}${inner}${']'.repeat(depth)}`;
  const escaped = JSON.stringify('"'.repeat(20_000));
  atOnce(parseSteps(nested(1, escaped), 100));
  const alone = reads;
  reads = 0;
  t.equal(JSON.stringify(atOnce(parseSteps(nested(300, escaped), 100))), nested(300, escaped));
  t.ok(reads < 3 * alone, `${reads} reads, and ${alone} for the string in one list`);
  reads = 0;
  t.throws(() => atOnce(parseSteps(nested(20_000, escaped), 100)), SyntaxError);
  t.ok(reads < 3 * alone, `${reads} reads of a document that is too deep`);
});

t.test('integers are exact where they are asked for, wherever a piece ends', async t => {
  const text = '{"a":[9007199254740993,1,{"b":-9223372036854775808}],"c":12345678901234567890,"d":1.5}';
  const expected = parseJson(text);
  for (let length = 1; length <= text.length; length++) t.same(atOnce(exactSteps(text, length)), expected);
  t.same(atOnce(exactSteps('9007199254740993')), 9007199254740993n);
});
