/** The managedFields of writes. */
import t from 'tap';
import type { KubeObject, ManagedFieldsEntry } from '../../../apimachinery/interface.js';
import {
  keepManagedFieldsTimes,
  ownApply,
  ownUpdate,
  withManagedFields,
} from '../../../registry/pipeline/ownership.js';
import { configMap, configmaps, deployment, deployments, refusal } from '../serve.js';
import { now, openDeps } from './deps.js';

const time = new Date(now).toISOString().replace('.000Z', 'Z');
const fields = (value: object) => ({ 'f:data': value });
/** Returns managers, operations and fields. */
const owned = (entries: readonly ManagedFieldsEntry[] | undefined) =>
  entries?.map(({ manager, operation, fieldsV1 }) => [manager, operation, fieldsV1]);

t.test('an update owns the fields that it changes', async t => {
  const { deps, scope } = await openDeps(t);
  const first = await ownUpdate(deps, scope(configmaps), undefined, configMap('a', { data: { a: '1', b: '1' } }));
  t.match(first.metadata.managedFields, [{ manager: 'test', operation: 'Update', apiVersion: 'v1', time }]);
  t.strictSame(owned(first.metadata.managedFields), [['test', 'Update', fields({ '.': {}, 'f:a': {}, 'f:b': {} })]]);
  const changed = structuredClone({ ...first, data: { a: '1', b: '2' } });
  const second = await ownUpdate(deps, scope(configmaps, { fieldManager: 'other' }), first, changed);
  t.equal(second, changed, 'the draft is changed in place');
  t.same(
    new Map(owned(second.metadata.managedFields)?.map(([manager, , of]) => [manager, of])),
    new Map([
      ['test', fields({ '.': {}, 'f:a': {} })],
      ['other', fields({ 'f:b': {} })],
    ]),
  );
});

t.test('an apply owns what it names, and needs force for fields of others', async t => {
  const { deps, scope } = await openDeps(t);
  const live = await ownUpdate(deps, scope(configmaps), undefined, configMap('a', { data: { a: '1', b: '1' } }));
  const applied = configMap('a', { data: { a: '2' } });
  const call = scope(configmaps, { fieldManager: 'applier' });
  t.match(await refusal(ownApply(deps, call, live, { applied, force: false })), /^409 Conflict: .*"test".*\.data\.a/s);
  const { object } = await ownApply(deps, call, live, { applied, force: true });
  t.strictSame(object?.['data'], { a: '2', b: '1' });
});

t.test('a subresource owns its own fields', async t => {
  const { deps, scope } = await openDeps(t);
  const live = await ownUpdate(deps, scope(deployments), undefined, deployment('d'));
  const draft: KubeObject = { ...structuredClone(live), status: { replicas: 3 } };
  const { metadata } = await ownUpdate(deps, scope(deployments, { subresource: 'status' }), live, draft);
  const own = metadata.managedFields?.find(({ subresource }) => subresource === 'status');
  t.strictSame(own?.fieldsV1, { 'f:status': { '.': {}, 'f:replicas': {} } });
});

t.test('managedFields are set or removed', async t => {
  const entries: ManagedFieldsEntry[] = [{ manager: 'm', operation: 'Update' }];
  t.strictSame(withManagedFields(configMap('a'), entries).metadata.managedFields, entries);
  const none = withManagedFields(configMap('a', { metadata: { managedFields: entries } }), undefined);
  t.notOk(Object.hasOwn(none.metadata, 'managedFields'));
});

t.test('times of an update that changes nothing else stay', async t => {
  const { definition } = await openDeps(t);
  const of = (at: string, more: object = {}): KubeObject =>
    configMap('a', { metadata: { managedFields: [{ manager: 'm', operation: 'Update', time: at }] }, ...more });
  const kept = (draft: KubeObject, old: KubeObject): string | undefined => {
    const keeping = keepManagedFieldsTimes({ definition: definition(configmaps) }, draft, old);
    t.equal(keeping, undefined, 'at once');
    return draft.metadata.managedFields?.[0]?.time;
  };
  t.equal(kept(of('new'), of('old')), 'old');
  t.equal(kept(of('new', { data: {} }), of('old')), 'old', 'an empty object is as absent in a native kind');
  t.equal(kept(of('new', { data: { a: '1' } }), of('old')), 'new', 'another change');
  t.equal(kept(of('new'), configMap('a')), 'new', 'there were none');
  const other = of('new');
  other.metadata.managedFields?.push({ manager: 'n', operation: 'Update' });
  t.equal(kept(other, of('old')), 'new', 'another manager');
});
