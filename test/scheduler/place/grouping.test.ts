/** By what spread constraints group clusters, and which classes of bindings are not kept. */
import t from 'tap';
import type { Placement } from '../../../api/karmada/types.js';
import { atOnce } from '../../../lib/time-slice.js';
import { DecisionClasses } from '../../../scheduler/place/classes.js';
import { constraintOf, groupingsOf } from '../../../scheduler/place/grouping.js';
import { cluster, schedulingInput } from '../objects.js';

const spread = (...spreadConstraints: Placement['spreadConstraints'] & object): Placement => ({ spreadConstraints });

t.test('regions, zones, providers and labels are groups', t => {
  const placement = spread(
    { spreadByField: 'region' },
    { spreadByField: 'zone' },
    { spreadByField: 'provider' },
    { spreadByLabel: 'tier' },
    { spreadByField: 'cluster' },
    {},
  );
  const full = cluster('m1');
  full.metadata.labels = { tier: 'edge' };
  Object.assign(full.spec, { region: 'eu', zones: ['b', 'a'], provider: 'p' });
  const groupings = groupingsOf(placement);
  t.strictSame(
    groupings.map(({ name, groupNameOf }) => [name, groupNameOf(full)]),
    [
      ['region', 'eu'],
      ['zone', 'a,b'],
      ['provider', 'p'],
      ['tier', 'edge'],
    ],
  );
  const empty = cluster('m2');
  Object.assign(empty.spec, { region: '', zones: [], provider: '' });
  t.ok(groupings.every(({ groupNameOf }) => groupNameOf(empty) === undefined));
  t.end();
});

t.test('a zone or a provider alone only leaves clusters out, and an unknown field has no groups', t => {
  t.strictSame(groupingsOf(spread({ spreadByField: 'zone' })), []);
  t.strictSame(groupingsOf(spread({ spreadByField: 'provider' }, { spreadByField: 'cluster' })), []);
  t.equal(groupingsOf(spread({ spreadByLabel: 'zone' })).length, 1, 'a label of that name is counted');
  const [unknown] = groupingsOf(spread({ spreadByField: 'planet' as 'region' }));
  t.equal(unknown?.groupNameOf(cluster('m1')), undefined);
  t.end();
});

t.test('the last constraint for a field counts', t => {
  const placement = spread({ spreadByField: 'region', minGroups: 1 }, { spreadByField: 'region', minGroups: 2 });
  t.equal(constraintOf(placement, 'region')?.minGroups, 2);
  t.equal(constraintOf(placement, 'zone'), undefined);
  t.equal(constraintOf({}, 'zone'), undefined);
  t.end();
});

t.test('bindings that no other can share a class with have none', t => {
  const classes = new DecisionClasses({ estimators: [] });
  const clusters = [cluster('m1')];
  const classOf = (...input: Parameters<typeof schedulingInput>) =>
    atOnce(classes.filter(schedulingInput(...input), clusters));
  t.equal(classOf({ clusters: [{ name: 'm1' }] }), undefined, 'it is placed');
  t.equal(classOf({}, { term: { affinityName: 'other' } }), undefined, 'its term is not in the placement');
  const long: Placement = { clusterAffinity: { clusterNames: ['x'.repeat(20_000)] } };
  t.equal(classOf({ placement: long }), undefined, 'its placement is long');
  let reads = 0;
  const terms = [{ affinityName: 'a', clusterNames: ['x'.repeat(20_000)] }, { affinityName: 'b' }];
  const counted: Placement = {
    clusterAffinities: terms,
    get clusterTolerations() {
      reads++;
      return [];
    },
  };
  for (const term of terms) t.equal(classOf({ placement: counted }, { term }), undefined);
  t.equal(reads, 1, 'a long placement is written for its first term, and for no other');
  const known = classOf({});
  t.ok(known);
  t.equal(classOf({}), known);
  t.end();
});
