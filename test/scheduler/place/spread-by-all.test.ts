/** The selection of clusters by several groupings at once, without the placement and the division around it. */
import t from 'tap';
import type { SpreadConstraint } from '../../../api/karmada/types.js';
import { atOnce } from '../../../lib/time-slice.js';
import type { Candidate } from '../../../scheduler/interface.js';
import type { Grouping } from '../../../scheduler/place/grouping.js';
import { limitsOf, spreadByAll } from '../../../scheduler/place/spread.js';
import { candidate, cluster } from '../objects.js';

/** Returns a candidate with these labels. */
const labelled = (name: string, available: number, labels: Readonly<Record<string, string>>): Candidate =>
  candidate(name, available, { cluster: cluster(name, {}, { labels }) });

const byLabel = (name: string, constraint: SpreadConstraint = {}): Grouping => ({
  ...{ constraint, name },
  groupNameOf: ({ metadata }) => metadata.labels?.[name],
});

/** Returns the names of the selected clusters, or the reason why there are none. */
function spread(
  all: readonly Candidate[],
  groupings: readonly Grouping[],
  clusters: SpreadConstraint = {},
  needed?: number,
): readonly string[] | string {
  const found = atOnce(spreadByAll(all, { groupings, clusters: limitsOf(clusters) }, needed));
  return typeof found === 'string' ? found : found.map(({ name }) => name);
}

const noSpread = 'no clusters satisfy the spread constraints by rack, room together';

t.test('a constraint without limits demands nothing and allows all', async t => {
  t.strictSame(limitsOf(), { min: 0, max: Infinity });
  t.strictSame(limitsOf({ minGroups: 2 }), { min: 2, max: Infinity });
  t.strictSame(limitsOf({ minGroups: 0, maxGroups: 0 }), { min: 0, max: Infinity }, 'zero is no maximum');
  t.strictSame(limitsOf({ minGroups: 1, maxGroups: 3 }), { min: 1, max: 3 });
});

t.test('a cluster that is in no group of one grouping is left out', async t => {
  const all = [
    labelled('a', 1, { rack: '1' }),
    labelled('b', 1, { room: '1' }),
    labelled('c', 1, { rack: '', room: '' }),
    labelled('d', 1, { rack: '1', room: '1' }),
  ];
  t.same(spread(all, [byLabel('rack'), byLabel('room')]), ['c', 'd'], 'an empty value is a group');
  t.same(spread(all.slice(0, 2), [byLabel('rack', { minGroups: 1 }), byLabel('room')]), noSpread);
});

t.test('the numbers of clusters and groups may be exactly the minimums and the maximums, and no others', async t => {
  const all = [
    labelled('a', 1, { rack: '1', room: '1' }),
    labelled('b', 1, { rack: '2', room: '1' }),
    labelled('c', 1, { rack: '3', room: '2' }),
  ];
  const between = (racks: SpreadConstraint, clusters: SpreadConstraint): readonly string[] | string =>
    spread(all, [byLabel('rack', racks), byLabel('room', { minGroups: 2 })], clusters);
  t.same(between({ minGroups: 3, maxGroups: 3 }, { minGroups: 3, maxGroups: 3 }), ['a', 'b', 'c']);
  t.same(between({ minGroups: 2, maxGroups: 2 }, { minGroups: 2, maxGroups: 2 }), ['a', 'c']);
  t.same(between({ minGroups: 4 }, {}), noSpread, 'there are three racks');
  t.same(between({}, { minGroups: 4 }), noSpread, 'there are three clusters');
  t.same(between({ minGroups: 1 }, { maxGroups: 1 }), noSpread, 'one cluster is in one room');
  t.same(between({ minGroups: 2, maxGroups: 1 }, {}), noSpread, 'the maximum is below the minimum');
  t.same(between({ maxGroups: 2 }, { minGroups: 3 }), noSpread, 'two racks have two clusters');
});

t.test('a cluster that is preferred gives way if its groups use up a maximum', async t => {
  const all = [
    labelled('a', 1, { rack: '1', room: '1' }),
    labelled('b', 1, { rack: '2', room: '2' }),
    labelled('c', 1, { rack: '1', room: '2' }),
  ];
  const groupings = [byLabel('rack', { minGroups: 2 }), byLabel('room', { minGroups: 1, maxGroups: 1 })];
  t.same(spread(all, groupings), ['b', 'c']);
});

t.test('other groups are taken if the preferred ones have too few clusters', async t => {
  const all = [
    labelled('a', 1, { rack: '1', room: '1' }),
    labelled('b', 1, { rack: '2', room: '1' }),
    labelled('c', 1, { rack: '3', room: '1' }),
    labelled('d', 1, { rack: '3', room: '1' }),
  ];
  const groupings = [byLabel('rack', { minGroups: 1, maxGroups: 2 }), byLabel('room', { minGroups: 1 })];
  t.same(spread(all, groupings, { minGroups: 3 }), ['a', 'c', 'd']);
  t.same(spread(all, groupings, { minGroups: 2 }), ['a', 'b'], 'the preferred ones, where they are enough');
  const pair = ['e', 'f'].map(name => labelled(name, 1, { rack: '4', room: '1' }));
  t.same(spread([...all, ...pair], groupings, { minGroups: 4 }), ['c', 'd', 'e', 'f'], 'none of the preferred ones');
});

t.test('clusters with more room are taken only if the replicas need it, and stay in order of preference', async t => {
  const all = [2, 3, 9, 9].map((room, i) => labelled(`c${i}`, room, { rack: '1', room: '1' }));
  const two = (needed?: number): readonly string[] | string =>
    spread(all, [byLabel('rack'), byLabel('room')], { maxGroups: 2 }, needed);
  t.same(two(), ['c0', 'c1'], 'every cluster takes all replicas');
  t.same(two(0), ['c0', 'c1']);
  t.same(two(5), ['c0', 'c1'], 'exactly the room');
  t.same(two(6), ['c2', 'c3'], 'one more');
  t.same(two(18), ['c2', 'c3']);
  t.same(two(19), 'no enough resource in clusters that are spread by rack, room');
  const mixed = [...all.slice(0, 2), labelled('c9', 9, { rack: '1', room: '1' })];
  t.same(spread(mixed, [byLabel('rack'), byLabel('room')], { maxGroups: 2 }, 12), ['c1', 'c9']);
});

t.test('without clusters only the minimums decide', async t => {
  t.same(spread([], [byLabel('rack'), byLabel('room')]), []);
  t.same(spread([], [byLabel('rack'), byLabel('room')], { minGroups: 1 }), noSpread);
  t.same(
    spread([], [byLabel('rack'), byLabel('room')], {}, 1),
    'no enough resource in clusters that are spread by rack, room',
  );
});

t.test('a long search lets other work run', async t => {
  const all = Array.from({ length: 3000 }, (_, i) => labelled(`c${i}`, 1, { rack: `${i}`, room: `${i % 2}` }));
  const groupings = [byLabel('rack', { minGroups: 3000 }), byLabel('room', { minGroups: 1, maxGroups: 1 })];
  const steps = spreadByAll(all, { groupings, clusters: limitsOf() }, undefined);
  let pauses = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) pauses++;
  t.equal(step.value, noSpread);
  t.ok(pauses > 10, `${pauses} pauses`);
});
