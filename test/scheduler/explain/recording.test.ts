/** What is kept of decisions for an explanation, and its bounds. */
import t from 'tap';
import type { BindingSpec, Placement, SpreadConstraint } from '../../../api/karmada/types.js';
import { DecisionRecording } from '../../../scheduler/explain/recording.js';
import type { Candidate, Decision } from '../../../scheduler/interface.js';
import { bindingSpec, candidate, cluster } from '../objects.js';

const placed = (...names: string[]): Decision => ({
  type: 'placed',
  clusters: names.map(name => ({ name, replicas: 1 })),
});
const refused: Decision = { type: 'FitError', message: 'no cluster', refusedBy: [] };

interface Course {
  readonly ranked?: readonly Candidate[];
  readonly selected?: readonly Candidate[];
  readonly decision?: Decision;
}

/** Records one decision, as a scheduler calls the recorder. */
function record(recording: DecisionRecording, { ranked = [], selected = [], decision = refused }: Course): void {
  recording.began(undefined);
  recording.ranked(ranked);
  recording.selected(selected);
  recording.ended(decision);
}

const inRegion = (name: string, region: string, more: Partial<Candidate> = {}): Candidate =>
  candidate(name, 5, { cluster: cluster(name, { ...(region && { region }) }), ...more });

const reasons = (recording: DecisionRecording): (string | undefined)[] =>
  recording.decisions.at(-1)?.clusters.map(({ reason }) => reason) ?? [];

t.test('at most fifty decisions are kept, and the others counted', async t => {
  const recording = new DecisionRecording(bindingSpec());
  for (let i = 0; i < 53; i++) record(recording, { decision: refused });
  t.equal(recording.decisions.length, 50);
  t.equal(recording.omitted, 3);
});

t.test('at most ten thousand clusters are kept, over all decisions', async t => {
  const recording = new DecisionRecording(bindingSpec());
  recording.began('first');
  for (let i = 0; i < 9_999; i++) recording.filtered(`m${i}`, 'TaintToleration', 'tainted');
  const ranked = [candidate('a', 1), candidate('b', 1)];
  recording.ranked(ranked);
  recording.ended(refused);
  recording.began('second');
  recording.filtered('m', '', 'deleted');
  recording.ranked(ranked);
  recording.ended(refused);
  const [first, second] = recording.decisions;
  t.equal(first?.clusters.length, 10_000);
  t.match(first, { affinityName: 'first', omittedClusters: 1, message: 'no cluster' });
  t.strictSame(second?.clusters, []);
  t.match(second, { affinityName: 'second', omittedClusters: 3 });
});

t.test('nothing of a decision is left for the next one', async t => {
  const recording = new DecisionRecording(bindingSpec());
  const m1 = candidate('m1', 1);
  recording.began('first');
  recording.filtered('m2', 'ClusterAffinity', 'no match');
  recording.ranked([m1]);
  recording.selected([m1]);
  recording.ended(placed('m1'));
  recording.began(undefined);
  recording.ended(refused);
  t.strictSame(recording.decisions[1], { type: 'FitError', message: 'no cluster', clusters: [] });
});

t.test('filtered clusters stand after the ranked ones, by name', async t => {
  const recording = new DecisionRecording(bindingSpec());
  recording.began(undefined);
  for (const name of ['z', 'a', 'm']) recording.filtered(name, name === 'a' ? '' : 'Plugin', 'why');
  const [y, b] = [candidate('y', 1), candidate('b', 1)];
  recording.ranked([y, b]);
  recording.selected([y]);
  recording.ended(placed('y'));
  t.strictSame(
    recording.decisions[0]?.clusters.map(({ name, result }) => [name, result]),
    [
      ...[
        ['y', 'selected'],
        ['b', 'notSelected'],
      ],
      ...[
        ['a', 'filtered'],
        ['m', 'filtered'],
        ['z', 'filtered'],
      ],
    ],
  );
  t.strictSame(recording.decisions[0]?.clusters[2], { name: 'a', result: 'filtered', reason: 'why' });
});

const spread = (...spreadConstraints: SpreadConstraint[]): Partial<BindingSpec> => ({
  placement: { spreadConstraints },
});
const byRegion: SpreadConstraint = { spreadByField: 'region', minGroups: 1, maxGroups: 1 };
const atMostTwo: SpreadConstraint = { spreadByField: 'cluster', minGroups: 1, maxGroups: 2 };

t.test('a cluster that is not selected has the reason', async t => {
  const [east, west, none] = [inRegion('e', 'east'), inRegion('w', 'west'), inRegion('n', '')];
  const rows: readonly (readonly [Partial<BindingSpec>, string[]])[] = [
    [spread(atMostTwo), Array<string>(2).fill('other clusters are preferred, and at most 2 may be selected')],
    [spread(byRegion), ['other sets of regions are preferred to those with region west', 'the cluster has no region']],
    [
      spread(byRegion, { spreadByLabel: 'rack' }),
      Array<string>(2).fill('other clusters are preferred that satisfy the spread constraints'),
    ],
  ];
  for (const [spec, expected] of rows) {
    const recording = new DecisionRecording(bindingSpec(spec));
    record(recording, { ranked: [east, west, none], selected: [east], decision: placed('e') });
    t.strictSame(reasons(recording), [undefined, ...expected], JSON.stringify(spec));
  }
});

t.test('if none is selected, the decision has the reason', async t => {
  const recording = new DecisionRecording(bindingSpec(spread(byRegion)));
  record(recording, { ranked: [inRegion('e', 'east')] });
  t.strictSame(reasons(recording), [undefined]);
});

t.test('regions are listed by score and name, with those that were chosen', async t => {
  const recording = new DecisionRecording(bindingSpec(spread(byRegion)));
  const all = [inRegion('w', 'west'), inRegion('e', 'east'), inRegion('s', 'south', { score: 100 })];
  record(recording, { ranked: all, selected: all.slice(2), decision: placed('s') });
  const regions = recording.decisions[0]?.regions ?? [];
  t.strictSame(
    regions.map(({ name, clusters, selected }) => [name, clusters, selected]),
    [
      ['south', 1, true],
      ['east', 1, false],
      ['west', 1, false],
    ],
  );
});

t.test('a selected cluster without replicas has the reason of its division', async t => {
  const division = (replicaScheduling: Placement['replicaScheduling']): Partial<BindingSpec> => ({
    ...{ replicas: 4, placement: { replicaScheduling } as Placement },
  });
  const divided = { replicaSchedulingType: 'Divided' } as const;
  const rows = [
    [
      division({ ...divided, replicaDivisionPreference: 'Aggregated' }),
      'the replicas fit on fewer clusters, which the policy wants',
    ],
    [
      division({
        ...{ ...divided, replicaDivisionPreference: 'Weighted' },
        weightPreference: { dynamicWeight: 'AvailableReplicas' },
      }),
      'its share by available replicas is none',
    ],
    [division(divided), 'its weight gives it no replicas'],
  ] as const;
  for (const [spec, reason] of rows) {
    const recording = new DecisionRecording(bindingSpec(spec));
    const both = [candidate('m1', 5, { overflowOrder: 1 }), candidate('m2', 0)];
    record(recording, { ranked: both, selected: both, decision: placed('m1') });
    t.strictSame(recording.decisions[0]?.clusters, [
      { name: 'm1', result: 'selected', score: 0, tier: 1, available: 5, replicas: 1 },
      { name: 'm2', result: 'selected', score: 0, available: 0, replicas: 0, reason },
    ]);
  }
});
