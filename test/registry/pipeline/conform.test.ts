/** The steps between admission and the store: system metadata, preparation and validation by kind. */
import t from 'tap';
import type { KubeObject, ObjectMeta } from '../../../apimachinery/interface.js';
import {
  checkName,
  conformChange,
  conformNew,
  settleNamespace,
  wipeSystemFields,
} from '../../../registry/pipeline/conform.js';
import { strategyContext } from '../../../registry/pipeline/context.js';
import { completeDraft } from '../../../registry/pipeline/decode.js';
import { configMap, configmaps, deployment, deployments, namespaces, refusalOf } from '../serve.js';
import { openDeps, write } from './deps.js';

t.test('system fields are removed from new objects', async t => {
  const metadata = {
    ...{ name: 'a', uid: 'u', creationTimestamp: 'then', deletionTimestamp: 'later', deletionGracePeriodSeconds: 1 },
    ...{ selfLink: '/a', generation: 5, resourceVersion: '1', labels: { a: 'b' } },
  };
  wipeSystemFields(metadata);
  t.strictSame(metadata, { name: 'a', generation: 5, resourceVersion: '1', labels: { a: 'b' } });
});

t.test('the namespace is that of the path', async t => {
  const { scope } = await openDeps(t);
  const settled = (resource: typeof configmaps, namespace: string, own?: string): ObjectMeta => {
    const metadata: ObjectMeta = own === undefined ? {} : { namespace: own };
    settleNamespace(scope(resource, { namespace }), metadata);
    return metadata;
  };
  t.strictSame(settled(configmaps, 'n'), { namespace: 'n' }, 'absent');
  t.strictSame(settled(configmaps, 'n', ''), { namespace: 'n' }, 'empty');
  t.strictSame(settled(configmaps, 'n', 'n'), { namespace: 'n' }, 'the same');
  t.strictSame(settled(namespaces, '', 'n'), {}, 'a kind without namespaces');
  t.equal(
    await refusalOf(() => settled(configmaps, 'n', 'm')),
    '400 BadRequest: the namespace of the provided object does not match the namespace sent on the request',
  );
});

t.test('the name is that of the path', async t => {
  t.equal(await refusalOf(() => checkName({ name: 'a' }, 'a')), 'allowed');
  t.equal(
    await refusalOf(() => checkName({ name: 'b' }, 'a')),
    '400 BadRequest: the name of the object (b) does not match the name on the URL (a)',
  );
  for (const metadata of [{}, { name: '' }])
    t.equal(
      await refusalOf(() => checkName(metadata, 'a')),
      '400 BadRequest: the name of the object (a based on URL) was undeterminable: name must be provided',
    );
});

t.test('a new object is prepared and validated by the rules of its kind', async t => {
  const { deps, definition, scope, messages } = await openDeps(t);
  const conform = (resource: typeof deployments, draft: KubeObject) =>
    conformNew(definition(resource), draft, strategyContext(deps, scope(resource), 'create', write));
  const complete = async (): Promise<KubeObject> => completeDraft(scope(deployments), deployment('a'));
  const draft: KubeObject = { ...(await complete()), status: { replicas: 7 } };
  t.equal(conform(deployments, draft), undefined, 'no promise if no rule creates one');
  t.equal(draft.metadata.generation, 1);
  t.notOk('status' in draft, 'a client cannot set the status');
  t.equal(
    (await refusalOf(() => conform(configmaps, configMap('A_')))).slice(0, 68),
    '422 Invalid: ConfigMap "A_" is invalid: metadata.name: Invalid value',
  );
  t.equal(
    await refusalOf(() => conform(configmaps, configMap('a', { metadata: { finalizers: ['mine'] } }))),
    '422 Invalid: ConfigMap "a" is invalid: metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
  );
  t.equal(
    await refusalOf(async () => {
      const made = await complete();
      return conform(deployments, { ...made, spec: { ...(made['spec'] as object), replicas: -1 } });
    }),
    '422 Invalid: Deployment.apps "a" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
  );
  t.strictSame(messages, []);
});

t.test('a changed object keeps its system fields', async t => {
  const { deps, definition, scope } = await openDeps(t);
  const system = { uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z', resourceVersion: '5', generation: 3 };
  const complete = await completeDraft(scope(deployments), deployment('a'));
  const old: KubeObject = { ...complete, metadata: { ...complete.metadata, ...system } };
  const conform = (draft: KubeObject, from: KubeObject = old) => {
    const { strategy } = definition(deployments);
    conformChange(definition(deployments), strategy, {
      draft,
      old: from,
      context: strategyContext(deps, scope(deployments), 'update', write),
    });
    return draft;
  };
  const given = (metadata: object, spec: object = {}): KubeObject => ({
    ...old,
    metadata: { ...old.metadata, ...metadata },
    spec: { ...(old['spec'] as object), ...spec },
  });
  t.equal(conform(given({ generation: 9 })).metadata.generation, 3, 'the generation is the old one');
  t.equal(conform(given({}, { replicas: 5 })).metadata.generation, 4, 'the generation grows with the spec');
  t.equal(conform(given({ uid: '' })).metadata.uid, 'u', 'an empty uid is filled in');
  t.equal(
    conform(given({ creationTimestamp: '2000-01-01T00:00:00Z' })).metadata.creationTimestamp,
    system.creationTimestamp,
  );
  t.notOk('selfLink' in conform(given({ selfLink: '/x' })).metadata, 'selfLink is never stored');
  const leaving = {
    ...old,
    metadata: { ...old.metadata, deletionTimestamp: '2026-01-02T00:00:00Z', deletionGracePeriodSeconds: 7 },
  };
  const { deletionTimestamp, deletionGracePeriodSeconds } = conform(given({}), leaving).metadata;
  t.strictSame(
    { deletionTimestamp, deletionGracePeriodSeconds },
    { deletionTimestamp: '2026-01-02T00:00:00Z', deletionGracePeriodSeconds: 7 },
    'a deletion is not undone',
  );
  t.match(
    await refusalOf(() => conform(given({ uid: 'v' }))),
    /^422 Invalid: Deployment\.apps "a" is invalid: metadata\.uid: Invalid value: "v": field is immutable/,
  );
  t.match(
    await refusalOf(() => conform(given({}, { selector: { matchLabels: { app: 'b' } } }))),
    /^422 Invalid: Deployment\.apps "a" is invalid: \[?spec\./,
  );
});
