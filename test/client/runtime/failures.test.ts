import t from 'tap';
import { conflict, internal, notFound, StatusError } from '../../../apimachinery/errors/status.js';
import { NotSynced, NotYet, ReportedElsewhere } from '../../../client/runtime/controller.js';
import { aggregateFailures } from '../../../client/runtime/failures.js';
import { ExpectedError, isExpected, isReportedElsewhere } from '../../../lib/logging/cause.js';
import { StorageError } from '../../../storage/error.js';

const pods = { group: '', resource: 'pods' };
const race = conflict(pods, 'a');
const gone = notFound(pods, 'a');
const waiting = new NotYet('the quota is not known');
const away = new ReportedElsewhere('cluster(a) not ready');
const full = new StatusError(internal('no space left').status, { cause: new StorageError('unwritable', 'no space') });
const refused = new ExpectedError('refused');
const bug = new TypeError('a is undefined');

t.test('several failures are one failure, which is logged as the most severe of them is', async t => {
  const table: readonly [name: string, failures: readonly Error[], isElsewhere: boolean, isNotYet: boolean][] = [
    ['all are reported elsewhere', [away, full], true, true],
    ['lost races', [race, gone], false, true],
    ['a lost race, and a failure whose cause is reported elsewhere', [race, full], false, true],
    ['not yet, a lost race, and two failures that are reported elsewhere', [waiting, race, away, full], false, true],
    ['another failure, too', [race, full, refused], false, false],
  ];
  for (const [name, failures, isElsewhere, isNotYet] of table) {
    const failure = aggregateFailures(failures);
    t.equal(isReportedElsewhere(failure), isElsewhere, name);
    t.equal(failure instanceof NotYet, isNotYet, name);
    t.ok(isExpected(failure), name);
    t.equal(failure.message, `[${failures.map(each => each.message).join(', ')}]`, name);
  }
  const failure = aggregateFailures([race, bug]);
  t.equal(failure.cause, bug);
  t.notOk(isExpected(failure));
  t.equal(aggregateFailures([full]), full, 'a single one stays as it is');
});

t.test('failures that all wait for something wait for all of it', async t => {
  const ends: (() => void)[] = [];
  const awaits = (message: string): NotSynced => new NotSynced(message, new Promise(resolve => ends.push(resolve)));
  const failures = [awaits('a is awaited'), awaits('b is awaited')];
  const failure = aggregateFailures(failures);
  t.equal(failure.message, '[a is awaited, b is awaited]');
  if (!(failure instanceof NotSynced)) return t.fail('it waits for nothing');
  let isOver = false;
  const over = failure.synced.then(() => (isOver = true));
  ends[0]?.();
  await failures[0]?.synced;
  t.notOk(isOver);
  ends[1]?.();
  await over;
  const again = aggregateFailures(failures);
  t.equal(again instanceof NotSynced && again.synced, failure.synced, 'what is awaited can be recognised');
  t.notOk(aggregateFailures([...failures, waiting]) instanceof NotSynced, 'another one is tried again by its time');
});

t.test('failures that wait for something are tried again after the shortest of their times', t => {
  const [long, short, shared] = [new Promise<void>(() => undefined), Promise.resolve(), Promise.resolve()];
  const failure = aggregateFailures([new NotSynced('a', long, 20_000), new NotSynced('b', short, 700)]);
  t.match(failure, { timeoutMs: 700 });
  t.match(aggregateFailures([new NotSynced('a', shared), new NotSynced('b', shared)]), { synced: shared });
  t.end();
});
