/** Passes through the templates of a policy: how one that fails ends, and when the next one begins. */
import t from 'tap';
import type { Policy } from '../../../api/karmada/types.js';
import type { Informer, Key } from '../../../client/runtime/interface.js';
import type { DetectorDeps } from '../../../controllers/policy/interface.js';
import { PolicyPasses } from '../../../controllers/policy/policy-passes.js';
import { systemClock } from '../../../lib/clock.js';
import { ExpectedError } from '../../../lib/logging/cause.js';

const key = 'default/large';
/** More templates than one reconciliation visits. */
const templates = Array.from({ length: 20 }, (_, i) => `template-${i}`);

/** Passes through templates of a terminating policy, none of which can be released. */
function failingPasses() {
  const added: Key[] = [];
  const policy = {
    kind: 'PropagationPolicy',
    metadata: { namespace: 'default', name: 'large', uid: 'u', deletionTimestamp: '2026-01-01T00:00:00Z' },
    spec: { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }] },
  } as unknown as Policy;
  const refuse = (): never => {
    throw new ExpectedError('refused');
  };
  const deps = {
    context: { clock: systemClock, backlog: () => 0 },
    templates: { claimed: () => templates, get: refuse },
  } as unknown as DetectorDeps;
  const passes = new PolicyPasses({ get: () => policy } as unknown as Informer<Policy>, deps);
  passes.open({ add: policy => void added.push(policy) });
  return { passes, added };
}

t.test('a pass with failures keeps the backoff of its policy', async t => {
  const { passes, added } = failingPasses();
  for (let i = 0; i < 2; i++) {
    t.match(await passes.reconcile(key), { isPartial: true });
    await t.rejects(passes.reconcile(key), /refused/);
  }
  t.same(added, [], 'the policy waits for its backoff');
});

t.test('a policy that has changed during a pass with failures begins the next one at once', async t => {
  const { passes, added } = failingPasses();
  t.match(await passes.reconcile(key), { isPartial: true });
  passes.changed(key);
  t.same(added.splice(0), [key]);
  await t.rejects(passes.reconcile(key), /refused/);
  t.same(added, [key]);
});
