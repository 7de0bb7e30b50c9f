/** Works that are applied before a mirror has its first list are compared with it. */
import t from 'tap';
import { EarlyWorks } from '../../../controllers/work/early-works.js';
import { configMaps } from '../../../api/kubernetes/resources.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { object } from '../../aggregation/fleet.js';
import { faultyFront, type FaultyFront } from '../faults/faulty-front.js';
import { comesAbout } from '../control-plane.js';
import { createWork, workFixture, workThat } from './work-fixture.js';
import { isApplied } from '../../../kinds/karmada/conditions.js';

const configMap = (a: string): KubeObject =>
  object('v1', 'ConfigMap', 'settings', { metadata: { namespace: 'default' }, data: { a } });

t.test('a change in a member before the first list of its kind is reverted', async t => {
  const fronts: FaultyFront[] = [];
  const { control, member } = await workFixture(t, {
    syncTimeoutMs: 200,
    async front(server) {
      const front = await faultyFront(t, server);
      const isList = ({ url = '' }): boolean => url.startsWith('/api/v1/configmaps?');
      front.set({ kind: 'answer', code: 500, delayMs: 600_000, matches: isList });
      fronts.push(front);
      return front;
    },
  });
  await createWork(control, 'settings', [configMap('wanted')]);
  await workThat(control, 'settings', isApplied);
  const key = { namespace: 'default', name: 'settings' };
  await member.client.patch(configMaps, key, { type: 'merge', patch: { data: { a: 'changed' } } });
  fronts[0]?.set(undefined);
  await comesAbout(member, configMaps, key, ({ data }) => (data as { a?: string }).a === 'wanted');
});

t.test('each Work is compared once, when the list is there, and not when the mirror stops', async t => {
  const compared: string[] = [];
  const early = new EarlyWorks(key => void compared.push(key));
  const mirrorThat = (isListed: boolean) => {
    let end = (): void => undefined;
    const mirror = { hasSynced: false, synced: new Promise<void>(resolve => (end = resolve)) };
    return {
      mirror,
      async end(): Promise<void> {
        mirror.hasSynced = isListed;
        end();
        await mirror.synced;
      },
    };
  };
  const [listed, stopped] = [mirrorThat(true), mirrorThat(false)];
  for (const { mirror } of [listed, stopped]) for (const key of ['a', 'b', 'a']) early.add(key, mirror);
  t.same(compared, []);
  await stopped.end();
  await listed.end();
  early.add('c', listed.mirror);
  t.same(compared, ['a', 'b']);
});
