/** Webhooks that answer late or never hold no worker, and have a bounded number of calls. */
import t, { type Test } from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { NotSynced, NotYet } from '../../../../client/runtime/controller.js';
import type { Interpreter } from '../../../../controllers/interpreter/interface.js';
import { SlowOwners } from '../../../../controllers/interpreter/calls/slow-owners.js';
import { type Reply, startWebhook, type Webhook } from '../../../aggregation/webhooks.js';
import { until } from '../../../storage/until.js';
import { answered, configuration, game, hookOf, interpreters, reply } from './interpreting.js';

const named = (name: string): KubeObject => ({ ...game, metadata: { ...game.metadata, name } });

/** Returns the error of an interpretation. */
const failure = (interpret: () => unknown): Promise<unknown> =>
  (async () => interpret())().then(
    () => undefined,
    (error: unknown) => error,
  );

interface Held {
  readonly webhook: Webhook;
  readonly interpreter: Interpreter;
  /** Answers a call that waits; false if there is none. */
  readonly release: () => boolean;
}

/** Starts a webhook that answers when the test says so. */
async function held(t: Test, timeoutSeconds = 30): Promise<Held> {
  const waiting: (() => void)[] = [];
  const webhook = await startWebhook(
    t,
    review => new Promise<Reply>(resolve => waiting.push(() => resolve(reply(review, { replicas: 1 })))),
  );
  const interpreter = interpreters(t, [configuration('c', hookOf(webhook, { more: { timeoutSeconds } }))])();
  const release = (): boolean => {
    const next = waiting.shift();
    next?.();
    return next !== undefined;
  };
  return { webhook, interpreter, release };
}

t.test('a worker does not wait for a slow webhook, and gets its answer later', async t => {
  const { webhook, interpreter, release } = await held(t);
  const first = await failure(() => interpreter.replicas(game));
  t.match(first, { name: 'ExpectedError', message: 'webhook "c/w.example.com" has not answered yet' });
  if (!(first instanceof NotSynced)) return t.fail('NotSynced is missing');
  const others = await Promise.all(Array.from({ length: 50 }, () => failure(() => interpreter.replicas(game))));
  t.ok(others.every(error => error instanceof NotSynced && error.synced === first.synced));
  t.equal(webhook.calls.length, 1, 'equal requests are one call');
  t.ok(release());
  await first.synced;
  t.match(await interpreter.replicas(game), { replicas: 1 });
  t.match(await interpreter.replicas(game), { replicas: 1 }, 'a reconciliation may ask again');
  t.equal(webhook.calls.length, 1);
});

t.test('a failure is reported once, then the webhook is called again', async t => {
  const { webhook, interpreter, release } = await held(t, 1);
  const late = { message: /context deadline exceeded$/ };
  await t.rejects(
    answered(() => interpreter.replicas(game)),
    late,
  );
  await t.rejects(
    answered(() => interpreter.replicas(game)),
    late,
  );
  t.equal(webhook.calls.length, 2);
  webhook.answer = review => reply(review, { replicas: 2 });
  t.match(await answered(() => interpreter.replicas(game)), { replicas: 2 }, 'and it is not slow for ever');
  while (release()) t.pass('an answer that nobody waits for any more');
});

t.test('calls of a configuration are bounded', async t => {
  const { webhook, interpreter, release } = await held(t);
  const ask = (from: number, count: number): Promise<unknown[]> =>
    Promise.all(Array.from({ length: count }, (_, n) => failure(() => interpreter.replicas(named(`g${from + n}`)))));
  const first = await ask(0, 100);
  t.ok(first.every(error => error instanceof NotSynced));
  await until('calls arrive', () => webhook.calls.length >= 16);
  const more = await ask(100, 2_000);
  const refused = more.filter(error => !(error instanceof NotSynced));
  t.equal(refused.length, 0, 'a refusal is told at the next attempt, since nobody waits');
  t.equal(webhook.calls.length, 16, 'others wait');
  const again = await ask(100, 2_000);
  const full = again.filter(error => error instanceof NotYet && !(error instanceof NotSynced));
  t.equal(full.length, 84, 'as many as have no place');
  t.match(full[0], {
    message: 'too many calls of webhook "c/w.example.com" are waiting: again later',
    retryAfterMs: 1_000,
  });
  let answers = 0;
  await until('all others are answered', () => {
    while (release()) answers++;
    return answers === 2_016;
  });
  t.equal(webhook.calls.length, 2_016);
});

/** Returns the Game after so many changes, as it is written by who reports its status. */
const changed = (name: string, version: number): KubeObject => ({
  ...game,
  metadata: { ...game.metadata, name, resourceVersion: String(version) },
});

t.test('an object that changes faster than its webhook answers gets the answer to its own call', async t => {
  const { webhook, interpreter, release } = await held(t);
  const first = await failure(() => interpreter.replicas(changed('g', 1)));
  const second = await failure(() => interpreter.replicas(changed('g', 2)));
  if (!(first instanceof NotSynced && second instanceof NotSynced)) return t.fail('NotSynced is missing');
  t.equal(second.synced, first.synced, 'no other call begins meanwhile');
  t.equal(webhook.calls.length, 1);
  t.ok(release());
  await first.synced;
  for (const version of [3, 4]) {
    const answer = interpreter.replicas(changed('g', version));
    await until('the webhook is called', () => webhook.calls.length === version - 1);
    t.ok(release());
    t.match(await answer, { replicas: 1 }, 'the worker waits, since the last answer was in vain');
  }
});

t.test('few workers wait for the answers to changing objects', async t => {
  const { webhook, interpreter, release } = await held(t);
  const names = ['a', 'b', 'c'];
  const first = await Promise.all(names.map(name => failure(() => interpreter.replicas(changed(name, 1)))));
  while (release()) t.pass('an answer in vain');
  await Promise.all(first.flatMap(error => (error instanceof NotSynced ? [error.synced] : [])));
  const answers = names.map(name => failure(() => interpreter.replicas(changed(name, 2))));
  t.type(await Promise.race(answers), NotSynced, 'one does not wait');
  await until('calls arrive', () => webhook.calls.length === 6);
  while (release()) t.pass('an answer');
  t.equal((await Promise.all(answers)).filter(error => error === undefined).length, 2);
});

t.test('another configuration is called meanwhile', async t => {
  const silent = await startWebhook(t, () => ({ silent: true }));
  const healthy = await startWebhook(t, review => reply(review, { replicas: 1 }));
  const interpreter = interpreters(t, [
    configuration('silent', hookOf(silent, { kinds: ['Silent'], more: { timeoutSeconds: 30 } })),
    configuration('healthy', hookOf(healthy)),
  ])();
  const stuck = Array.from({ length: 100 }, (_, n) =>
    failure(() => interpreter.replicas({ ...named(`s${n}`), kind: 'Silent' })),
  );
  t.match(await answered(() => interpreter.replicas(game)), { replicas: 1 });
  t.ok((await Promise.all(stuck)).every(error => error instanceof NotSynced));
  for (let n = 0; n < 200; n++) await failure(() => interpreter.replicas({ ...named(`t${n}`), kind: 'Silent' }));
  const first = await failure(() => interpreter.replicas({ ...named('s0'), kind: 'Silent' }));
  t.type(first, NotSynced, 'a webhook that is known to be slow holds no worker at all: no call has ended yet');
});

t.test('calls behind those of another webhook of the configuration hold no workers', async t => {
  const silent = await startWebhook(t, () => ({ silent: true }));
  const healthy = await startWebhook(t, review => reply(review, { replicas: 1 }));
  const more = { timeoutSeconds: 30 };
  const hooks = [hookOf(silent, { name: 'silent.example.com', kinds: ['Silent'], more }), hookOf(healthy)];
  const interpreter = interpreters(t, [configuration('c', ...hooks)])();
  const askSilent = (): Promise<unknown> => failure(() => interpreter.replicas({ ...game, kind: 'Silent' }));
  for (let n = 0; n < 16; n++) void failure(() => interpreter.replicas({ ...named(`s${n}`), kind: 'Silent' }));
  void askSilent();
  await until('calls arrive', () => silent.calls.length === 16);
  for (let n = 0; n < 130; n++) await failure(() => interpreter.replicas(named(`g${n}`)));
  t.type(await askSilent(), NotSynced, 'no call has ended yet');
  t.equal(silent.calls.length, 16);
});

t.test('a webhook stays slow without a call, until it answers quickly', async t => {
  const slow = new SlowOwners(20);
  await slow.measured('w', () => until('it is slow', () => slow.has('w')));
  t.ok(slow.has('w'));
  t.notOk(slow.has('other'));
  await until('it answers quickly', async () => {
    await slow.measured('w', () => Promise.resolve());
    return !slow.has('w');
  });
});

t.test('running calls end with the controllers', async t => {
  const silent = await startWebhook(t, () => ({ silent: true }));
  const failures: Promise<unknown>[] = [];
  await t.test('controllers', async t => {
    const interpreter = interpreters(t, [configuration('c', hookOf(silent, { more: { timeoutSeconds: 30 } }))])();
    for (let n = 0; n < 40; n++) failures.push(failure(() => interpreter.replicas(named(`g${n}`))));
    await until('calls arrive', () => silent.calls.length === 16);
  });
  t.equal(silent.calls.length, 16);
  t.ok((await Promise.all(failures)).every(error => error instanceof NotYet));
});
