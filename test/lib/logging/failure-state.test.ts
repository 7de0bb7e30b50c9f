/** Repeated failures are logged as a state: one line when it begins and one when it ends. */
import t from 'tap';
import { internal, StatusError } from '../../../apimachinery/errors/status.js';
import { ReportedElsewhere } from '../../../client/runtime/controller.js';
import { aggregateFailures } from '../../../client/runtime/failures.js';
import { ExpectedError } from '../../../lib/logging/cause.js';
import type { Logger } from '../../../lib/logging/interface.js';
import { SharedFailureState, FailureState, FailureStates } from '../../../lib/logging/failure-state.js';
import { StorageError } from '../../../storage/error.js';

type Line = [level: string, fields: Record<string, unknown>, message: string];

function fixture(graceMs = 10_000) {
  const lines: Line[] = [];
  let at = Date.parse('2026-01-01T00:00:00Z');
  const to =
    (level: string) =>
    (fields: object, message: string): void =>
      void lines.push([level, fields as Record<string, unknown>, message]);
  const log: Logger = { debug: to('debug'), info: to('info'), warn: to('warn'), error: to('error') };
  return {
    lines,
    options: { log, now: () => at, fails: 'it fails', works: 'it works', graceMs },
    pass: (milliseconds: number) => (at += milliseconds),
  };
}

const refused = new ExpectedError('connect ECONNREFUSED 127.0.0.1:6443');

t.test('a short failure is not logged', t => {
  const { lines, options, pass } = fixture();
  const failureState = new FailureState(options);
  failureState.failed(refused);
  pass(9000);
  failureState.failed(refused);
  failureState.worked();
  t.strictSame(lines, []);
  t.end();
});

t.test('a failure that is reported elsewhere is not logged, and does not end the state', t => {
  const { lines, options, pass } = fixture(0);
  const failureState = new FailureState(options);
  const refusal = new StatusError(internal('no space left').status, {
    cause: new StorageError('unwritable', 'no space'),
  });
  for (let i = 0; i < 10; i++) {
    failureState.failed(refusal);
    failureState.failed(new ReportedElsewhere('cluster(a) not ready'));
    failureState.failed(aggregateFailures([refusal, refusal]));
    pass(3600_000);
  }
  failureState.worked();
  t.strictSame(lines, []);
  failureState.failed(refused);
  failureState.failed(refusal);
  failureState.worked();
  t.match(lines, [
    ['warn', { cause: refused.message }, 'it fails'],
    ['info', { failures: 1 }, 'it works'],
  ]);
  t.equal(lines.length, 2);
  t.end();
});

t.test('a state is logged when it begins and when it ends', t => {
  const { lines, options, pass } = fixture();
  const failureState = new FailureState(options);
  for (let i = 0; i < 100; i++) {
    failureState.failed(refused, { cluster: 'member1' });
    pass(1000);
  }
  t.strictSame(lines, [
    [
      'warn',
      { cluster: 'member1', cause: refused.message, since: '2026-01-01T00:00:00.000Z', failures: 11 },
      'it fails',
    ],
  ]);
  failureState.worked();
  failureState.worked();
  t.strictSame(lines.slice(1), [['info', { cluster: 'member1', failures: 100, seconds: 100 }, 'it works']]);
  t.end();
});

t.test('a new cause is logged at most once per minute, the same cause again after half an hour', t => {
  const { lines, options, pass } = fixture(0);
  const failureState = new FailureState(options);
  for (let second = 0; second < 120; second++) {
    failureState.failed(new ExpectedError(`attempt ${second}`));
    pass(1000);
  }
  t.equal(lines.length, 2);
  for (let minute = 0; minute < 61; minute++) {
    failureState.failed(refused);
    pass(60_000);
  }
  t.equal(lines.length, 5);
  t.end();
});

t.test('a bug is logged at once with its stack, and only once', t => {
  const { lines, options, pass } = fixture();
  const failureState = new FailureState(options);
  const bug = new TypeError('a is undefined');
  for (let i = 0; i < 10; i++) {
    failureState.failed(bug, { object: 'a' });
    pass(1000);
  }
  t.equal(lines.length, 1);
  t.match(lines[0], ['error', { object: 'a', err: bug }, 'it fails']);
  t.end();
});

t.test('failures of many objects are a bounded number of lines, and the others are counted', t => {
  const { lines, options, pass } = fixture(0);
  const failureStates = new FailureStates(options);
  for (let i = 0; i < 10_000; i++) failureStates.failed(`o${i}`, refused, { object: `o${i}` });
  t.equal(lines.length, 20);
  pass(60_000);
  failureStates.failed('another', refused, { object: 'another' });
  t.match(lines[20], ['warn', { suppressed: 9980 }, 'it fails']);
  t.match(lines[21], ['warn', { object: 'another' }, 'it fails']);
  failureStates.worked('another');
  t.match(lines[22], ['info', { object: 'another' }, 'it works']);
  failureStates.worked('o9999');
  t.equal(lines.length, 23, 'the end of a state is logged only if its beginning was');
  t.end();
});

t.test('failures of many objects that are reported elsewhere do not displace the states of others', t => {
  const { lines, options, pass } = fixture(0);
  const failureStates = new FailureStates(options);
  for (let i = 0; i < 30; i++) failureStates.failed(`o${i}`, refused, { object: `o${i}` });
  for (let i = 0; i < 5000; i++) failureStates.failed(`w${i}`, new ReportedElsewhere('cluster(a) not ready'), {});
  t.equal(lines.length, 20);
  failureStates.worked('o0');
  t.match(lines[20], ['info', { object: 'o0', failures: 1 }, 'it works']);
  pass(60_000);
  failureStates.failed('another', refused, { object: 'another' });
  t.match(lines[21], ['warn', { suppressed: 10, failing: 30 }, 'it fails'], 'only states are counted');
  t.end();
});

t.test('a party whose failure is reported elsewhere is no part of a shared state', t => {
  const { lines, options } = fixture(0);
  const failureState = new SharedFailureState(options);
  failureState.failed('/a', new StorageError('unwritable', 'no space'));
  failureState.failed('/b', refused);
  failureState.worked('/b');
  t.match(lines, [
    ['warn', { watches: 1 }, 'it fails'],
    ['info', { failures: 1 }, 'it works'],
  ]);
  t.equal(lines.length, 2);
  t.end();
});

t.test('a shared state ends when no caller fails any more', t => {
  const { lines, options } = fixture(0);
  const failureState = new SharedFailureState(options);
  for (const party of ['/a', '/b', '/a']) failureState.failed(party, refused);
  failureState.worked('/a');
  failureState.worked('/c');
  t.equal(lines.length, 1);
  failureState.worked('/b');
  t.strictSame(
    lines.map(([level]) => level),
    ['warn', 'info'],
  );
  t.end();
});
