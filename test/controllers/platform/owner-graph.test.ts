/** The graph of owners is loaded in turns of the event loop, while objects change. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { ControllerContext } from '../../../client/runtime/interface.js';
import { mirrorResources } from '../../../client/runtime/mirrors/mirrors.js';
import { startGarbageCollector } from '../../../controllers/platform/garbage-collector.js';
import { OwnerGraph } from '../../../controllers/platform/owner-graph.js';
import { TimeSlice } from '../../../lib/time-slice.js';
import { object } from '../../aggregation/fleet.js';
import { ObjectReads } from '../../client/object-reads.js';
import { until } from '../../storage/until.js';
import { runningControllers } from '../one-controller.js';
import { absent, collecting, create, gone, mapOf, maps, namespace, reference } from './collecting.js';

const wants = ({ kind }: { readonly kind: string }): boolean => kind === 'ConfigMap';
const names = (prefix: string): string[] => Array.from({ length: 20 }, (_, i) => `${prefix}-${10 + i}`);

/** Uses up the time of this turn, so that long work stops after its first item. */
function useUpTurn(): void {
  const slice = new TimeSlice();
  while (!slice.pause());
}

const createIn = ({ client }: ControllerContext, name: string, metadata: object): Promise<KubeObject> =>
  client.create(maps, object('v1', 'ConfigMap', name, { metadata: { namespace, ...metadata } }));

t.test('objects are loaded in several turns, and what changes meanwhile is not lost', async t => {
  const owned = { ownerReferences: [absent] };
  await runningControllers(t, async context => {
    const { client } = context;
    for (const name of [...names('m'), 'x-freed', 'y-removed']) await createIn(context, name, owned);
    const mirrors = await mirrorResources(context, { wants });
    useUpTurn();
    const graph = new OwnerGraph(mirrors);
    const found = (): string[] => [...graph.uids()].map(uid => graph.find(uid)?.object().metadata.name ?? '').sort();
    const first = found();
    t.ok(first.length <= 1, `${String(first)} in the first turn`);
    await Promise.all([
      graph.loaded,
      createIn(context, 'added', owned),
      client.patch(
        maps,
        { namespace, name: 'x-freed' },
        { type: 'merge', patch: { metadata: { ownerReferences: null } } },
      ),
      client.delete(maps, { namespace, name: 'y-removed' }),
    ]);
    await until('the graph is complete', () => String(found()) === String(['added', ...names('m')]));
    t.equal(graph.dependents(absent.uid).size, names('m').length + 1);
  });
});

t.test('an owner in a foreground deletion waits for dependents that are loaded after it', async t => {
  const hold = { finalizers: ['example.com/hold'] };
  const server = await runningControllers(t, async context => {
    const owner = await createIn(context, 'a-owner', {});
    const ownerReferences = [reference(owner, { blockOwnerDeletion: true })];
    for (const name of names('b')) await createIn(context, name, { ...hold, ownerReferences });
    await context.client.delete(maps, { namespace, name: 'a-owner' }, { propagationPolicy: 'Foreground' });
    const mirrors = await mirrorResources(context, { wants });
    useUpTurn();
    startGarbageCollector(context, mirrors);
  });
  await create(server, 'later', [absent]);
  await gone(server, 'later');
  t.ok(await mapOf(server, 'a-owner'));
  for (const name of names('b'))
    await server.client.patch(maps, { namespace, name }, { type: 'merge', patch: { metadata: { finalizers: null } } });
  await gone(server, 'a-owner');
});

t.test('an object whose owner exists is not parsed, and neither is the owner', async t => {
  const reads = new ObjectReads();
  let reconciled = 0;
  const server = await collecting(t, { wrap: client => reads.of(client), onKey: () => reconciled++ });
  const owner = await create(server, 'owner');
  await create(server, 'owned', [reference(owner)]);
  await until('the collector looks at it', () => reconciled > 0);
  t.equal(reads.taken(maps), 0);
  await create(server, 'lost', [absent]);
  await gone(server, 'lost');
  t.not(reads.taken(maps), 0);
});
