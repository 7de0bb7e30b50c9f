import { mock } from 'node:test';
import t from 'tap';
import { Restarts } from '../../lib/restarts.js';

t.test('the delay doubles up to the longest, until a start succeeds', async t => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const restarts = new Restarts({ firstMs: 500, lastMs: 1500 });
  const started: string[] = [];
  t.equal(
    restarts.schedule(() => void started.push('a')),
    500,
  );
  t.equal(
    restarts.schedule(() => void started.push('b')),
    1000,
  );
  t.equal(
    restarts.schedule(() => void started.push('c')),
    1500,
  );
  t.equal(
    restarts.schedule(() => void started.push('d')),
    1500,
  );
  mock.timers.tick(499);
  t.same(started, []);
  mock.timers.tick(501);
  t.same(started, ['a', 'b']);
  restarts.succeeded();
  t.equal(
    restarts.schedule(() => void started.push('e')),
    500,
  );
  mock.timers.tick(500);
  t.same(started, ['a', 'b', 'c', 'd', 'e']);
});

t.test('starts that are cancelled do not happen', async t => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const restarts = new Restarts({ firstMs: 1, lastMs: 1 });
  restarts.schedule(() => t.fail('a cancelled start'));
  restarts.cancel();
  mock.timers.tick(10);
});
