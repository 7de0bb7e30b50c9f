import t from 'tap';
import { invalidValue, notSupported } from '../../../apimachinery/errors/faults.js';
import { applyConflict } from '../../../apimachinery/errors/apply-conflict.js';
import { invalid, notFound } from '../../../apimachinery/errors/status.js';
import { maxStatusMessageLength, maxFaults, shortened, shortenedValue } from '../../../apimachinery/errors/limits.js';

const times = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));

t.test('a long text is replaced by its beginning and its length', t => {
  t.equal(shortened('abc', 3), 'abc');
  t.equal(shortened('abcd', 3), 'abc... (4 characters)');
  t.end();
});

t.test('a long value is replaced by its beginning', t => {
  const small = { a: [1, 'x', null] };
  t.equal(shortenedValue(small), small, 'the value itself');
  const list = shortenedValue(times(100_000, i => i)) as unknown[];
  t.equal(list[0], 0);
  t.equal(list.at(-1), '...');
  t.ok(JSON.stringify(list).length < 20_000, 'a list');
  const map = shortenedValue(Object.fromEntries(times(100_000, i => [`k${i}`, 'v']))) as Record<string, unknown>;
  t.equal(Object.keys(map).at(-1), '...');
  t.ok(JSON.stringify(map).length < 20_000, 'a map');
  t.ok(JSON.stringify(shortenedValue({ a: { b: 'x'.repeat(1_000_000) } })).length < 10_000, 'a long text in it');
  t.end();
});

t.test('a fault contains the beginning of a long value, path or list', t => {
  const long = 'x'.repeat(3_000_000);
  const { message, path } = invalidValue(`data[${long}]`, long, `detail ${long}`);
  t.ok(message.length < 10_000 && path.length < 2000);
  t.match(message, /^Invalid value: "x+\.\.\. \(3000000 characters\)": detail x+\.\.\. \(3000007 characters\)$/);
  t.ok(invalidValue('a', { long }, 'detail').message.length < 10_000, 'in an object');
  const supported = times(100_000, i => `e${i}`);
  t.ok(notSupported('a', 'b', supported).message.length < 10_000, 'supported values');
  t.end();
});

t.test('an answer contains the first of many faults, and their number', t => {
  const kind = { group: '', kind: 'ConfigMap' };
  const { status } = invalid(
    kind,
    'n'.repeat(100_000),
    times(50_000, i => invalidValue(`metadata.labels`, `bad ${i}`, 'must be good')),
  );
  const causes = status.details?.causes ?? [];
  t.equal(causes.length, maxFaults + 1);
  t.same(causes.at(-1), { message: `and at least ${50_000 - maxFaults} more` });
  t.ok(status.message?.endsWith(`, and at least ${50_000 - maxFaults} more]`));
  t.ok(JSON.stringify(status).length < 100_000);
  const long = invalid(
    kind,
    'n',
    times(1000, i => invalidValue(`p${i}`, 'x'.repeat(5000), 'must be good')),
  ).status;
  t.ok(JSON.stringify(long).length < 300_000, 'long ones');
  t.match(long.details?.causes?.at(-1)?.message, /^and at least \d+ more$/);
  t.end();
});

t.test('an answer contains the first of many conflicts, and their number', t => {
  const manager = { manager: 'm', operation: 'Apply' } as const;
  const { status } = applyConflict(times(50_000, i => ({ manager, path: `.data.k${i}` })));
  t.match(status.message, /^Apply failed with 50000 conflicts: conflicts with "m":\n- \.data\.k0\n/);
  t.match(status.message, /\nand 49900 more$/);
  t.equal(status.details?.causes?.length, maxFaults + 1);
  t.end();
});

t.test('no message is longer than the limit', t => {
  const { message } = notFound({ group: '', resource: 'r'.repeat(1_000_000) }, 'n').status;
  t.ok((message?.length ?? 0) < maxStatusMessageLength + 100);
  t.end();
});
