/** Admission before and after the rules of a kind: the requests that plugins get, and their order. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { StatusError, forbidden } from '../../../apimachinery/errors/status.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../../registry/admission-plugin.js';
import { completeDraft } from '../../../registry/pipeline/decode.js';
import { admit, admitConnect, type Creation, finishNew, mutate } from '../../../registry/pipeline/finish.js';
import type { Reservation } from '../../../registry/pipeline/reservation.js';
import { configMap, configmaps, deployment, deployments, namespaces, pods, refusal } from '../serve.js';
import { now, openDeps, write } from './deps.js';

/** Records the requests as `PHASE OPERATION NAME`; `change` edits the draft. */
function recording(log: string[], change: (request: AdmissionRequest) => void = () => undefined): AdmissionPlugin {
  const note = (phase: string, { operation, name }: AdmissionRequest): void =>
    void log.push(`${phase} ${operation} ${name}`);
  return {
    name: 'recording',
    mutate(request) {
      note('mutate', request);
      change(request);
      return undefined;
    },
    validate(request) {
      note('validate', request);
      return undefined;
    },
  };
}

const a = configMap('a');

const creation = (name: string, object: KubeObject = configMap(name)): Creation => ({
  name,
  object,
  old: undefined,
});

t.test('the operation follows from the objects', async t => {
  const log: string[] = [];
  const { deps, scope } = await openDeps(t, recording(log));
  const call = scope(configmaps);
  mutate(deps, call, { object: a, old: undefined, name: 'a' }, write);
  mutate(deps, call, { object: a, old: a, name: 'a' }, write);
  mutate(deps, call, { object: undefined, old: a, name: 'a' }, write);
  void admit(deps, call, { object: a, old: undefined, name: 'a' }, write);
  void admit(deps, call, { object: undefined, old: a, name: 'a' }, write);
  t.strictSame(log, [
    'mutate CREATE a',
    'mutate UPDATE a',
    'mutate DELETE a',
    'validate CREATE a',
    'validate DELETE a',
  ]);
});

t.test('without plugins there is no admission request', async t => {
  const { deps, scope } = await openDeps(t);
  t.equal(mutate(deps, scope(configmaps), { object: a, old: undefined, name: 'a' }, write), write);
  t.equal(admit(deps, scope(configmaps), { object: a, old: undefined, name: 'a' }, write), undefined);
  await admitConnect(deps, scope(pods), 'p', { apiVersion: 'v1', kind: 'PodExecOptions', metadata: {} });
});

t.test('admission requests have the namespace of the object', async t => {
  const seen: string[] = [];
  const { deps, scope } = await openDeps(
    t,
    recording([], ({ namespace, version, user }) => void seen.push(`${namespace} ${version} ${user.name}`)),
  );
  mutate(deps, scope(configmaps), { object: a, old: undefined, name: 'a' }, write);
  const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } };
  mutate(deps, scope(namespaces), { object: namespace, old: undefined, name: 'n' }, write);
  t.strictSame(seen, ['default v1 admin', 'n v1 admin'], 'the namespace of a Namespace is its name');
});

t.test('validating admission gets the name of the request, or the generated one', async t => {
  const log: string[] = [];
  const { deps, scope } = await openDeps(t, recording(log));
  const call = scope(configmaps);
  mutate(deps, call, { object: configMap(''), old: undefined, name: '' }, write);
  void admit(deps, call, { object: configMap('g-1'), old: undefined, name: '' }, write);
  void admit(deps, call, { object: configMap('changed'), old: undefined, name: 'a' }, write);
  t.strictSame(log, ['mutate CREATE ', 'validate CREATE g-1', 'validate CREATE a']);
});

t.test('duplicate owners that a plugin adds are dropped with a warning', async t => {
  const owner = { apiVersion: 'v1', kind: 'A', name: 'o', uid: 'u' };
  const twice = ({ object }: AdmissionRequest): void => {
    if (object) object.metadata.ownerReferences = [owner, { ...owner }];
  };
  const { deps, scope, messages } = await openDeps(t, recording([], twice));
  const draft = configMap('a');
  mutate(deps, scope(configmaps), { object: draft, old: undefined, name: 'a' }, write);
  t.strictSame(draft.metadata.ownerReferences, [owner]);
  t.match(messages, [/^warning: \.metadata\.ownerReferences contains duplicate entries/]);
});

t.test('floats of a plugin replace those of the request', async t => {
  const floats = new Map() as unknown as NonNullable<AdmissionRequest['floats']>;
  const { deps, scope } = await openDeps(
    t,
    recording([], request => void (request.floats = floats)),
  );
  const result = mutate(deps, scope(configmaps), { object: configMap('a'), old: undefined, name: 'a' }, write);
  t.strictSame(result, { ...write, floats });
});

t.test('a connection is mutated first, then validated', async t => {
  const log: string[] = [];
  const { deps, scope } = await openDeps(t, recording(log));
  await admitConnect(deps, scope(pods, { subresource: 'exec' }), 'p', {
    apiVersion: 'v1',
    kind: 'PodExecOptions',
    metadata: {},
  });
  t.strictSame(log, ['mutate CONNECT p', 'validate CONNECT p']);
});

t.test('a new object gets a uid and a time, the rules of its kind, then validating admission', async t => {
  const log: string[] = [];
  const { deps, scope } = await openDeps(t, recording(log));
  const draft = await completeDraft(scope(deployments), { ...deployment('a'), metadata: { name: 'a' } });
  t.equal(finishNew(deps, scope(deployments), creation('a', draft), write), undefined);
  t.match(draft.metadata, {
    name: 'a',
    namespace: 'default',
    uid: '00000000-0000-4000-8000-000000000000',
    creationTimestamp: new Date(now).toISOString().replace('.000', ''),
    generation: 1,
  });
  t.strictSame(log, ['validate CREATE a']);
});

t.test('an object that breaks a rule is not admitted', async t => {
  const log: string[] = [];
  const { deps, scope } = await openDeps(t, recording(log));
  t.throws(() => finishNew(deps, scope(configmaps), creation('A_'), write), StatusError);
  t.throws(() => finishNew(deps, scope(configmaps), creation('a', configMap('a', {}, 'other')), write), {
    message: 'the namespace of the provided object does not match the namespace sent on the request',
  });
  t.strictSame(log, []);
});

t.test('the reservation begins first, and authorization precedes admission', async t => {
  const log: string[] = [];
  const { deps, scope } = await openDeps(t, recording(log));
  const taken: Reservation = {
    begin: async ({ metadata }) => void log.push(`begin ${metadata.name}`),
    settle: async () => undefined,
  };
  const permitted = async (): Promise<void> => void log.push('permitted');
  await finishNew(deps, scope(configmaps), creation('a'), write, { reservation: taken, authorize: permitted });
  t.strictSame(log, ['begin a', 'permitted', 'validate CREATE a']);
  log.length = 0;
  const denied = async (): Promise<void> => {
    throw forbidden({ group: '', resource: 'configmaps' }, 'a', 'no');
  };
  const refused = Promise.resolve(finishNew(deps, scope(configmaps), creation('a'), write, { authorize: denied }));
  t.equal(await refusal(refused), '403 Forbidden: configmaps "a" is forbidden: no');
  t.strictSame(log, [], 'admission does not run');
});
