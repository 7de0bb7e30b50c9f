/** Parsers and budgets that keep within bounds what other servers send. */
import t from 'tap';
import { ByteCollector } from '../../../aggregation/remote/byte-collector.js';
import { receivedFailure } from '../../../aggregation/remote/failure.js';
import { lines } from '../../../aggregation/remote/mirror/lines.js';
import { ListSplitter } from '../../../aggregation/remote/mirror/list-splitter.js';
import { countInSteps, countValues, readBounded, ValueCounter } from '../../../aggregation/remote/read-json.js';
import { receivedItem } from '../../../aggregation/remote/received-object.js';
import { maxNumberLength } from '../../../lib/json/json.js';
import { TurnQueue } from '../../../lib/turn-queue.js';
import { MirrorBudget } from '../../../client/watch/budget.js';
import { countTurns } from '../../count-turns.js';
import { random } from '../../random.js';

const refuse = (fault: string): never => {
  throw new Error(fault);
};

function split(text: string, size: number): { items: unknown[]; rest: unknown } {
  const splitter = new ListSplitter(refuse);
  const bytes = Buffer.from(text);
  const items: unknown[] = [];
  for (let at = 0; at < bytes.length; at += size)
    for (const item of splitter.take(bytes.subarray(at, at + size))) items.push(JSON.parse(item.bytes.toString()));
  return { items, rest: JSON.parse(splitter.end().toString()) };
}

t.test('a list is split into its items, wherever its chunks end', async t => {
  const items = [
    { metadata: { name: 'a', labels: { '}': '{', '"': '\\"]' } } },
    { items: [1, [2, {}], { items: [] }] },
    {},
    { text: '\\\\"' },
    { müde: '☕' },
  ];
  const list = { kind: 'List', metadata: { items: ['x'], 'it"ems': 'items' }, items, more: { a: '"items":[' } };
  for (const text of [JSON.stringify(list), JSON.stringify(list, undefined, 2)])
    for (let size = 1; size <= text.length; size += size < 40 ? 1 : 97)
      t.strictSame(split(text, size), { items, rest: { ...list, items: [] } }, `chunks of ${size}`);
  for (const none of [{ items: [] }, { items: null }, {}, { kind: 'items' }, { a: ['items', []] }])
    t.strictSame(split(JSON.stringify(none), 3), { items: [], rest: none });
});

t.test('long strings are skipped, wherever their quotes, escapes and chunks are', async t => {
  const { below, pick } = random(11);
  const long = (): string =>
    Array.from({ length: below(12) }, () =>
      pick(['x'.repeat(below(200)), '"', '\\', '\\'.repeat(below(70)), ',{[', 'ü']),
    ).join('');
  for (let i = 0; i < 300; i++) {
    const items = Array.from({ length: below(5) }, () => ({ [long()]: long(), a: [long(), { b: long() }] }));
    const list = { kind: 'List', items };
    t.strictSame(split(JSON.stringify(list), 1 + below(500)), { items, rest: { kind: 'List', items: [] } });
  }
});

t.test('input that is not a list is refused', async t => {
  for (const [text, message] of [
    ['{"items":[1]}', 'its items are not objects'],
    ['{"items":[{}', 'it is not JSON'],
    ['{"items":[{}{}]}', 'it is not JSON'],
    ['{"items":[{},]}', 'it is not JSON'],
    [`{"items":[{"a":${'['.repeat(501)}${']'.repeat(501)}}]}`, 'it nests deeper than 500 levels'],
    [`{"items":[{"a":[${'0,'.repeat(100_001)}0]}]}`, 'it has more than 100000 values'],
    [`{"items":[{"a":"${'x'.repeat(9 << 20)}`, 'an item is longer than 8 MiB'],
    [`{"a":"${'x'.repeat(65 * 1024)}"}`, 'it is longer than 64 KiB without its items'],
  ] as const)
    t.throws(() => split(text, 60_000), { message }, text.slice(0, 40));
});

t.test('documents that are read whole have limits', async t => {
  const read = async (text: string): Promise<unknown> => readBounded(Buffer.from(text), refuse);
  t.strictSame(await read('{"a":[1,{"b":"[{"}]}'), { a: [1, { b: '[{' }] });
  await t.rejects(() => read('{'), { message: 'it is not JSON' });
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  await t.rejects(() => read(deep), { message: 'it nests deeper than 500 levels' });
  await t.rejects(() => read(`[${'{},'.repeat(200_000)}0]`), { message: 'it has more than 100000 values' });
  const commas = JSON.stringify({ csv: ','.repeat(500_000) });
  t.strictSame(await read(commas), JSON.parse(commas), 'commas within a string do not count as values');
});

t.test('the values of a long document are counted in steps, up to the limit', async t => {
  const count = (text: string, max: number): { readonly counter: ValueCounter; readonly steps: number } => {
    const counting = countInSteps(Buffer.from(text), max);
    for (let steps = 1; ; steps++) {
      const { done, value } = counting.next();
      if (done) return { counter: value, steps };
    }
  };
  const items = Array.from({ length: 50_000 }, (_, i) => ({ i, text: `a\\",[${'x'.repeat(i % 100)}` }));
  const text = JSON.stringify({ items });
  const whole = new ValueCounter();
  whole.take(Buffer.from(text), 0, -1);
  const { counter, steps } = count(text, Infinity);
  t.strictSame([counter.values, counter.deepest, counter.longest], [whole.values, whole.deepest, whole.longest]);
  t.ok(steps > 40, `${steps} steps`);
  const limited = count(text, 1000);
  t.ok(limited.counter.values > 1000);
  t.equal(limited.steps, 1, 'the rest is not read');
  const digits = count(`[${'1'.repeat(20 * maxNumberLength)}]`, Infinity);
  t.ok(digits.counter.longest > maxNumberLength && digits.steps < 10, 'nor what follows a number that is too long');
});

t.test('the values of a long document are counted in several turns of the event loop', async t => {
  const loop = countTurns();
  const text = Buffer.from(JSON.stringify({ text: 'a"b'.repeat(2 * 1024 * 1024), list: [1, 2, 3] }));
  const whole = new ValueCounter();
  whole.take(text, 0, -1);
  const counting = countValues(text, refuse);
  t.ok(counting instanceof Promise);
  t.equal(await counting, whole.values);
  loop.stop();
  t.ok(loop.turns >= 2, `${loop.turns} turns`);
  t.equal(countValues(Buffer.from('[1]'), refuse), 0, 'short ones are not counted');
});

t.test('lines have a limit, and are joined from any chunks', async t => {
  const { below } = random(7);
  const text = Array.from({ length: 200 }, () => 'x'.repeat(below(50))).join('\n');
  async function* pieces(): AsyncGenerator<Buffer> {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) {
      const next = at + 1 + below(60);
      yield bytes.subarray(at, next);
      at = next;
    }
    await Promise.resolve();
  }
  const found: string[] = [];
  for await (const line of lines(pieces(), 50)) found.push(line.toString());
  t.strictSame(
    found,
    text.split('\n').filter((line, i, all) => line !== '' || i < all.length - 1),
  );
  const read = async (): Promise<void> => {
    for await (const _ of lines(pieces(), 20));
  };
  await t.rejects(read(), { message: 'a line is longer than 20 bytes' });
});

t.test('collected bytes do not retain the chunks they came in', async t => {
  const large = Buffer.alloc(1 << 20);
  const gathered = new ByteCollector();
  for (let i = 0; i < 100; i++) gathered.append(large.subarray(i, i + 1));
  t.equal(gathered.length, 100);
  const bytes = gathered.take();
  t.ok(bytes.buffer.byteLength < 4096);
  t.equal(gathered.length, 0);
  t.equal(gathered.take().length, 0);
});

t.test('objects get the metadata that all code relies on', async t => {
  for (const [metadata, message] of [
    [undefined, 'it has no metadata'],
    [{}, 'an object has no name'],
    [{ name: 5 }, 'metadata.name is not a text of at most 1024 characters'],
    [
      { name: 'a', resourceVersion: '9'.repeat(2000) },
      'metadata.resourceVersion is not a text of at most 1024 characters',
    ],
    [{ name: 'a', labels: [] }, 'metadata.labels is not a map'],
    [{ name: 'a', annotations: { a: {} } }, 'metadata.annotations has a value that is not text'],
    [{ name: 'a', finalizers: [1] }, 'metadata.finalizers is not a list of texts'],
    [{ name: 'a', ownerReferences: [null] }, 'metadata.ownerReferences is not a list of objects'],
  ] as const)
    t.throws(() => receivedItem({ metadata }, refuse), { message });
  t.ok(receivedItem({ metadata: { name: 'a', labels: null, finalizers: ['x'] } }, refuse));
});

t.test('an error of another server becomes a Status of bounded length', async t => {
  const of = (body: string) => receivedFailure(500, Buffer.from(body));
  t.match(of('{"kind":"Status","code":404,"reason":"NotFound","message":"no"}'), {
    code: 404,
    reason: 'NotFound',
    message: 'no',
  });
  t.match(of('{"kind":"Status","code":200}'), { code: 500 });
  t.match(of('{"kind":"Status","message":{}}'), { code: 500, message: '{"kind":"Status","message":{}}' });
  t.match(of(''), { message: 'the server answered with status 500' });
  t.ok(of('x'.repeat(1 << 20)).message.length < 9000);
});

t.test('a server that sends at full speed does not delay others', async t => {
  const turns = new TurnQueue({ budget: 4, tasksInARow: 1 });
  const greedy = Array.from({ length: 20 }, () => 0);
  const loud = turns.lane();
  const quiet = turns.lane();
  let over = false;
  let grants = 0;
  const work = async (): Promise<void> => {
    while (!over) {
      await loud.pause();
      grants++;
      const end = performance.now() + 1;
      while (performance.now() < end);
    }
  };
  const workers = greedy.map(work);
  for (let i = 0; i < 50; i++) {
    await new Promise(resolve => setImmediate(resolve));
    const before = grants;
    await quiet.pause();
    t.ok(grants - before <= 6, `${grants - before} slices for others before this one`);
  }
  over = true;
  await Promise.all(workers);
});

t.test('a budget grants what fits', async t => {
  const budget = new MirrorBudget(1 << 20);
  budget.take(1 << 20);
  t.throws(() => budget.take(1), { message: 'the objects of the cluster take more than 1 MiB' });
  budget.take(-1);
  budget.take(1);
  t.equal(budget.used, 1 << 20);
});

t.test('a number that is too long is refused, wherever chunks end; long texts are not', async t => {
  const message = 'it has a number of more than 65536 characters';
  const digits = '1'.repeat(70_000);
  const padding = JSON.stringify('x'.repeat(200_000));
  for (const number of [digits, `0.${digits}`, `-${digits}`]) {
    for (const size of [1000, 65_536, 1_000_000])
      t.throws(() => split(`{"items":[{"a":${number},"b":${padding}}]}`, size), { message }, `chunks of ${size}`);
    const read = async (): Promise<unknown> => readBounded(Buffer.from(`{"a":${padding},"b":${number}}`), refuse);
    await t.rejects(read, { message });
  }
  const texts = { a: '1'.repeat(300_000), b: Number('1'.repeat(20)), [digits]: [digits, 1] };
  t.strictSame(await readBounded(Buffer.from(JSON.stringify(texts)), refuse), texts);
  t.strictSame(split(JSON.stringify({ items: [texts] }), 5000).items, [texts]);
});
