/** Which failures of Works are not shown at once. */
import t from 'tap';
import { plainError, tooManyRequests } from '../../../apimachinery/errors/status.js';
import { PassingFailures } from '../../../controllers/work/passing-failures.js';

const overload = tooManyRequests('busy', 1);
const broken = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
const refused = plainError('no', 403);

t.test('a failure that most likely passes is hidden for a number of attempts', async t => {
  const failures = new PassingFailures();
  const attempts = (given: unknown[], count: number, isMemberDown = false): boolean[] =>
    Array.from({ length: count }, () => failures.isPassing('w', given, isMemberDown));
  t.same(attempts([overload], 7), [true, true, true, true, false, false, false], 'one that lasts stays shown');
  t.same(attempts([broken], 2), [true, false], 'each kind counts for itself');
  t.same(attempts([overload], 1), [false]);
  t.same(attempts([refused], 1), [false], 'another failure is shown');
  t.same(attempts([overload, overload], 2), [true, true], 'and what was counted is forgotten');
  t.same(attempts([overload, refused], 1), [false], 'one of several is another failure');
  t.same(attempts([broken], 1, true), [false], 'the member is down, which is told elsewhere');
  t.same(attempts([overload], 4, true), [true, true, true, true]);
  failures.forget('w');
  t.same(attempts([overload], 5), [true, true, true, true, false]);
  t.equal(failures.isPassing('other', [overload], false), true, 'another Work');
});
