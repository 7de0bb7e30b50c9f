/** Passes through the templates of a policy: how one that fails ends, and when the next one begins. */
import t from 'tap';
import type { Policy } from '../../../api/karmada/types.js';
import type { Client } from '../../../client/interface.js';
import { createControllerContext } from '../../../client/runtime/context.js';
import type { Informer, Key } from '../../../client/runtime/interface.js';
import type { DetectorDeps } from '../../../controllers/policy/interface.js';
import { PolicyPasses } from '../../../controllers/policy/policy-passes.js';
import { systemClock } from '../../../lib/clock.js';
import { ExpectedError } from '../../../lib/logging/cause.js';
import { silent } from '../../../server/logger.js';

/** A clock that stands still: no wait ends because it takes too long. */
const still = { ...systemClock, now: () => 0 };
const key = 'default/large';
/** More templates than two reconciliations visit. */
const templates = Array.from({ length: 40 }, (_, i) => `template-${i}`);

/** Passes through templates of a terminating policy, none of which can be released. */
function failingPasses(signal = AbortSignal.abort()) {
  const added: Key[] = [];
  let visits = 0;
  const policy = {
    kind: 'PropagationPolicy',
    metadata: { namespace: 'default', name: 'large', uid: 'u', deletionTimestamp: '2026-01-01T00:00:00Z' },
    spec: { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }] },
  } as unknown as Policy;
  const refuse = (): never => {
    visits++;
    throw new ExpectedError('refused');
  };
  const context = createControllerContext({ client: {} as Client, clock: still, log: silent, signal });
  const deps = { context, templates: { claimed: () => templates, get: refuse } } as unknown as DetectorDeps;
  const passes = new PolicyPasses({ get: () => policy } as unknown as Informer<Policy>, deps);
  passes.open({ add: policy => void added.push(policy) });
  return { passes, added, context, visits: () => visits };
}

t.test('a pass with failures keeps the backoff of its policy', async t => {
  const { passes, added } = failingPasses();
  for (let i = 0; i < 2; i++) {
    for (let part = 0; part < 2; part++) t.match(await passes.reconcile(key), { isPartial: true });
    await t.rejects(passes.reconcile(key), /refused/);
  }
  t.same(added, [], 'the policy waits for its backoff');
});

t.test('a policy that has changed during a pass with failures begins the next one at once', async t => {
  const { passes, added } = failingPasses();
  t.match(await passes.reconcile(key), { isPartial: true });
  passes.changed(key);
  t.same(added.splice(0), [key]);
  t.match(await passes.reconcile(key), { isPartial: true });
  await t.rejects(passes.reconcile(key), /refused/);
  t.same(added, [key]);
});

t.test('a pass waits for the controllers to which it gives work, and not for others', async t => {
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  const { passes, context, visits } = failingPasses(stop.signal);
  const keepBusy = (name: string): void =>
    context.run({
      name,
      synced: [new Promise(() => undefined)],
      wire: queue => {
        for (let i = 0; i < 100; i++) queue.add(`${i}`);
      },
      reconcile: () => Promise.resolve(),
    });
  await passes.reconcile(key);
  const first = visits();
  keepBusy('namespace-sync-controller');
  await passes.reconcile(key);
  t.equal(visits(), 2 * first);
  keepBusy('binding-controller');
  t.match(await passes.reconcile(key), { isPartial: true });
  t.equal(visits(), 2 * first);
});
