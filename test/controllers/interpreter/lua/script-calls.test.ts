/** Slow scripts of controllers: a worker does not wait for them, and an attempt uses the results of the one before. */
import t, { type Test } from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { NotSynced, NotYet } from '../../../../client/runtime/controller.js';
import { DetachedCalls } from '../../../../controllers/interpreter/calls/detached-calls.js';
import { customizedInterpreter } from '../../../../controllers/interpreter/customized/customized.js';
import { mergeRules } from '../../../../controllers/interpreter/customized/rules.js';
import { ScriptRunner } from '../../../../controllers/interpreter/lua/runner.js';
import { ScriptCalls } from '../../../../controllers/interpreter/lua/script-calls.js';
import type { Maybe } from '../../../../lib/maybe.js';

/** Resolves with the values and errors of all. */
const settled = <T>(results: readonly Maybe<T>[]): Promise<{ readonly value?: T; readonly reason?: unknown }[]> =>
  Promise.allSettled(results);

const runner = new ScriptRunner();
t.teardown(() => runner.close());

const luaScript = 'function ReviseReplica(o, n) o.spec.size = n return o end';
const rules = mergeRules([
  {
    ...{ apiVersion: 'config.karmada.io/v1alpha1', kind: 'ResourceInterpreterCustomization' },
    metadata: { name: 'games' },
    spec: {
      target: { apiVersion: 'example.com/v1', kind: 'Game' },
      customizations: { replicaRevision: { luaScript } },
    },
  },
]);
const game = (version = 1): KubeObject => ({
  ...{ apiVersion: 'example.com/v1', kind: 'Game', spec: { size: 2 } },
  metadata: { namespace: 'n', name: 'g', uid: 'u', resourceVersion: String(version) },
});

/** Returns an interpreter whose scripts have their results when the test says so. */
function held(t: Test) {
  const stopping = new AbortController();
  t.teardown(() => stopping.abort());
  let open = (): void => undefined;
  let gate = Promise.resolve();
  const runs: string[] = [];
  const runText = async (text: string, key: string): ReturnType<ScriptRunner['runText']> => {
    runs.push(text);
    await gate;
    return runner.runText(text, key);
  };
  const close = (): void => {
    gate = new Promise(resolve => (open = resolve));
  };
  const calls = new DetachedCalls(stopping.signal);
  const interpreter = customizedInterpreter(new ScriptCalls({ runText }, calls), () => rules);
  return { interpreter, runs, close, open: () => open() };
}

t.test('an attempt for many clusters leaves a slow script, and the next one has all results', async t => {
  const { interpreter, runs, close, open } = held(t);
  const counts = [...Array.from({ length: 10 }, (_, n) => n), 3, 3, 3];
  const attempt = (version?: number) => settled(counts.map(n => interpreter.reviseReplica(game(version), n)));
  close();
  const first = await attempt();
  t.ok(first.every(({ reason }) => reason instanceof NotSynced));
  t.match(first[0]?.reason, { message: 'a script of customization "games" has not answered yet' });
  t.equal(runs.length, 10, 'equal calls are one');
  const second = await attempt(2);
  t.ok(second.every(({ reason }) => reason instanceof NotSynced));
  t.equal(runs.length, 10, 'no other run begins for a changed object meanwhile');
  open();
  await Promise.all(first.flatMap(({ reason }) => (reason instanceof NotSynced ? [reason.synced] : [])));
  t.strictSame(
    (await attempt()).map(({ value }) => value?.['spec']),
    counts.map(size => ({ size })),
  );
  t.equal(runs.length, 10);
});

t.test('more calls than may wait are made by several attempts', async t => {
  const { interpreter } = held(t);
  const counts = Array.from({ length: 1_100 }, (_, n) => n);
  let missing = counts.length;
  for (let attempt = 0; attempt < 100 && missing > 0; attempt++) {
    const outcomes = await settled(counts.map(n => interpreter.reviseReplica(game(), n)));
    const reasons = outcomes.flatMap(({ reason }) => reason ?? []);
    t.ok(reasons.every(reason => reason instanceof NotYet));
    await Promise.all(reasons.flatMap(reason => (reason instanceof NotSynced ? [reason.synced] : [])));
    missing = reasons.length;
  }
  t.equal(missing, 0);
});
