/** A member that refuses single objects serves the others; what passes soon is not shown. */
import t, { type Test } from 'tap';
import type { Work } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { GroupFailure } from '../../../client/runtime/controller.js';
import { follow } from '../../../client/watch/follow.js';
import { findCondition, isApplied } from '../../../kinds/karmada/conditions.js';
import { silent } from '../../../lib/logging/interface.js';
import { core, object } from '../../aggregation/fleet.js';
import type { TestServer } from '../../apiserver/running.js';
import { until } from '../../storage/until.js';
import { faultyFront, type FaultyFront } from '../faults/faulty-front.js';
import { createWork, deployment, type Fixture, type FixtureOptions, workFixture, workThat } from './work-fixture.js';

interface FrontScene extends Fixture {
  readonly front: FaultyFront;
}

/** Starts the controllers of Works and a member behind a proxy. */
async function frontScene(t: Test, options: FixtureOptions = {}): Promise<FrontScene> {
  const fronts: FaultyFront[] = [];
  const fixture = await workFixture(t, {
    ...options,
    front: async member => {
      const made = await faultyFront(t, member);
      fronts.push(made);
      return made;
    },
  });
  const [front] = fronts;
  if (!front) throw new Error('the proxy was not started');
  return { ...fixture, front };
}

const applied = (work: Work) => findCondition(work.status?.conditions, 'Applied');
const hasFailed = (work: Work): boolean => applied(work)?.status === 'False';

/** Collects the messages of the failures that Works show from now on, by their order. */
function shownFailures(t: Test, { client }: TestServer): readonly string[] {
  const shown: string[] = [];
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  follow(resources.works, {
    ...{ client, signal: stop.signal, onError: () => undefined },
    onChange: (_key, _was, is) => {
      const condition = is && applied(is.object as Work);
      if (condition?.status === 'False') shown.push(condition.message ?? '');
    },
  });
  return shown;
}

const webhooks = {
  ...{ group: 'admissionregistration.k8s.io', version: 'v1' },
  resource: 'validatingwebhookconfigurations',
};

/** A webhook that does not exist, so that all writes of the statuses of Works are refused. */
const refusingStatuses = object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'refusing', {
  webhooks: [
    {
      ...{ name: 'refusing.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'], failurePolicy: 'Fail' },
      clientConfig: { url: 'https://127.0.0.1:1/' },
      rules: [
        { apiGroups: ['work.karmada.io'], apiVersions: ['*'], resources: ['works/status'], operations: ['UPDATE'] },
      ],
    },
  ],
});

const isWriteIn =
  (namespace: string) =>
  ({ method, url }: { readonly method?: string | undefined; readonly url?: string | undefined }): boolean =>
    method === 'POST' && url?.includes(`/namespaces/${namespace}/`) === true;

/** Applies a Work, so that later requests do not meet the connections that the last change of the front has cut. */
async function reconnect(control: TestServer, name: string): Promise<void> {
  await createWork(control, name, [deployment(name)]);
  await workThat(control, name, isApplied);
}

t.test('a member that refuses many Works serves the others', async t => {
  const { control, member, front } = await frontScene(t);
  for (const code of [401, 429, 503])
    await t.test(`with ${code}`, async t => {
      const namespace = `denied-${code}`;
      await member.client.create(core('namespaces'), object('v1', 'Namespace', namespace));
      front.set({ kind: 'answer', code, headers: { 'retry-after': '30' }, matches: isWriteIn(namespace) });
      await reconnect(control, `first-${code}`);
      const denied = deployment('app');
      denied.metadata.namespace = namespace;
      const count = 50;
      await Promise.all(Array.from({ length: count }, (_, i) => createWork(control, `${namespace}-${i}`, [denied])));
      await createWork(control, `good-${code}`, [deployment(`good-${code}`)]);
      await workThat(control, `good-${code}`, isApplied);
      t.ok(front.requests > 0, 'the member has refused objects');
      t.ok(front.requests <= count, 'the good Work is applied before a refused one is tried again');
    });
});

t.test('a short overload is not shown, a lasting one is', async t => {
  const { control, front } = await frontScene(t);
  const failed = new Set<string>();
  const stop = new AbortController();
  t.teardown(() => stop.abort());
  follow(resources.works, {
    ...{ client: control.client, signal: stop.signal, onError: () => undefined },
    onChange: (key, _was, is) => is && hasFailed(is.object as Work) && failed.add(key),
  });
  await createWork(control, 'first', [deployment('first')]);
  await workThat(control, 'first', isApplied);
  const refused = { kind: 'answer', code: 429, matches: isWriteIn('default') } as const;
  front.set({ ...refused, headers: { 'retry-after': '1' } });
  await createWork(control, 'short', [deployment('short')]);
  const dispatching = (work: Work): boolean => Boolean(findCondition(work.status?.conditions, 'Dispatching'));
  await workThat(control, 'short', dispatching);
  await until('the member has refused the object', () => front.requests >= 1);
  front.set(undefined);
  await workThat(control, 'short', isApplied);
  t.same([...failed], []);
  front.set(refused);
  await createWork(control, 'long', [deployment('long')]);
  const work = await workThat(control, 'long', hasFailed);
  t.match(applied(work), { reason: 'AppliedFailed', message: /^Failed to apply all manifests \(0\/1\): / });
});

t.test('failures that pass soon are counted by their kind, and from anew after another failure', async t => {
  const { control, member, front } = await frontScene(t);
  await member.client.create(core('namespaces'), object('v1', 'Namespace', 'denied'));
  const shown = shownFailures(t, control);
  const left = [429, 'reset' as const, 403, 'reset' as const, 429];
  front.set({ kind: 'answers', left, matches: isWriteIn('denied') });
  await reconnect(control, 'first');
  const denied = deployment('app');
  denied.metadata.namespace = 'denied';
  await createWork(control, 'app', [denied]);
  await workThat(control, 'app', isApplied);
  t.same(left, [], 'all attempts but the last one have failed');
  t.ok(shown.length > 0);
  for (const message of shown) t.match(message, /403|forbidden/i);
});

t.test('a Work tries one manifest in a member that is down', async t => {
  const { control, front } = await frontScene(t);
  await createWork(control, 'first', [deployment('first')]);
  await workThat(control, 'first', isApplied);
  front.set({ kind: 'reset' });
  await createWork(control, 'app', ['a', 'b', 'c'].map(deployment));
  const work = await workThat(control, 'app', hasFailed);
  t.match(applied(work)?.message, /^Failed to apply all manifests \(0\/3\): [^[]/);
  front.set(undefined);
});

t.test('a member that was down works again when it refuses only objects, with whatever code', async t => {
  const { control, front } = await frontScene(t);
  await createWork(control, 'first', [deployment('first')]);
  await workThat(control, 'first', isApplied);
  front.set({ kind: 'reset' });
  await createWork(control, 'lost', [deployment('lost')]);
  await workThat(control, 'lost', hasFailed);
  // A webhook of the member, for example, answers so. The probe gets another answer.
  front.set({ kind: 'answer', code: 503, delayMs: 200, matches: isWriteIn('default') });
  await Promise.all(Array.from({ length: 8 }, (_, i) => createWork(control, `refused-${i}`, [deployment(`app-${i}`)])));
  await until('several Works at a time are tried', () => front.mostDelayed > 1);
  front.set(undefined);
});

t.test('a member that is down pauses its Works even if their status cannot be written', async t => {
  const failures: unknown[] = [];
  const debug = (fields: object): void => {
    const { controller, err } = fields as { readonly controller?: string; readonly err?: unknown };
    if (controller === 'execution-controller') failures.push(err);
  };
  const { control, front } = await frontScene(t, { log: { ...silent, debug } });
  await createWork(control, 'first', [deployment('first')]);
  await workThat(control, 'first', isApplied);
  await control.client.create(webhooks, refusingStatuses);
  await until('statuses are refused', async () => {
    const work = await workThat(control, 'first');
    const status = { ...work.status, conditions: [] };
    return control.client.update(resources.works, { ...work, status }, { subresource: 'status' }).then(
      () => false,
      () => true,
    );
  });
  failures.length = 0;
  front.set({ kind: 'reset' });
  await createWork(control, 'app', [deployment('app')]);
  await until('the Work has failed', () => failures.length >= 3);
  for (const failure of failures) {
    t.type(failure, GroupFailure);
    t.match(String(failure), /the status of the Work cannot be written/);
  }
  front.set(undefined);
});
