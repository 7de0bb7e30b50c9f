import t from 'tap';
import { ReceiveAllowance } from '../../../../scheduler/estimators/grpc/receive-allowance.js';

const kib = 1024;

t.test('a server may send little without a call', async t => {
  const allowance = new ReceiveAllowance(() => 0);
  t.ok(allowance.take(64 * kib));
  t.notOk(allowance.isExceeded);
  t.notOk(allowance.take(1));
  t.ok(allowance.isExceeded);
  allowance.callBegins();
  t.notOk(allowance.take(1), 'it stays exceeded');
});

t.test('each call permits an answer, and no more after its end', async t => {
  const allowance = new ReceiveAllowance(() => 0);
  for (let i = 0; i < 1000; i++) allowance.callBegins();
  t.ok(allowance.take(1000 * 64 * kib), 'answers to calls at the same time');
  for (let i = 0; i < 1000; i++) allowance.callEnds();
  t.ok(allowance.take(64 * kib));
  t.notOk(allowance.take(1));
  const quiet = new ReceiveAllowance(() => 0);
  for (let i = 0; i < 1000; i++) {
    quiet.callBegins();
    t.ok(quiet.take(100 * (i % 2)));
    quiet.callEnds();
  }
  t.notOk(quiet.take(64 * kib + 1), 'what calls have not used is forfeited');
});

t.test('time gives back what pings have taken', async t => {
  let now = 0;
  const allowance = new ReceiveAllowance(() => now);
  t.ok(allowance.take(60 * kib));
  for (let i = 0; i < 100; i++) {
    now += 10_000;
    t.ok(allowance.take(10 * kib));
  }
  now += 3_600_000;
  t.notOk(allowance.take(64 * kib + 1), 'and no more than that');
});
