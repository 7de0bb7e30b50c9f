/** Decisions that ask the members for their estimates. */
import t from 'tap';
import type { BindingSpec, Placement } from '../../../api/karmada/types.js';
import type {
  AccurateEstimator,
  EstimateTable,
  ReplicaEstimateRequest,
  SetEstimateRequest,
} from '../../../scheduler/interface.js';
import { attempt } from '../../../scheduler/loop/attempt.js';
import { decided } from '../../../scheduler/loop/decided.js';
import { memberEstimates } from '../../../scheduler/loop/member-estimates.js';
import { binding, cluster } from '../objects.js';

const { signal } = new AbortController();
const assumed = () => [];

interface RecordedQuestion {
  readonly request: ReplicaEstimateRequest | SetEstimateRequest;
  readonly clusters: readonly string[];
}

/** Returns an estimator that answers from a table, and records what it is asked. */
function estimatorOf(table: Readonly<Record<string, number>>) {
  const asked: RecordedQuestion[] = [];
  const answer: AccurateEstimator['maxAvailableComponentSets'] & AccurateEstimator['maxAvailableReplicas'] = (
    request,
    clusters,
  ): Promise<EstimateTable> => {
    asked.push({ request, clusters: clusters.map(({ metadata }) => metadata.name ?? '') });
    return Promise.resolve(new Map(Object.entries(table)));
  };
  const estimator: AccurateEstimator = {
    ...{ maxAvailableReplicas: answer, maxAvailableComponentSets: answer },
    unschedulableReplicas: () => Promise.resolve(undefined),
  };
  return { estimator, asked };
}

const clusters = ['m1', 'm2', 'm3'].map(name => cluster(name));
const dynamic: Placement = {
  replicaScheduling: {
    ...{ replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Weighted' },
    weightPreference: { dynamicWeight: 'AvailableReplicas' },
  },
};

const decide = (spec: Partial<BindingSpec>, estimators: readonly AccurateEstimator[]) => {
  const options = {
    ...{ enableEmptyWorkloadPropagation: false, estimators: [() => 9], setEstimators: [() => () => setsOf(9)] },
    asksMembers: estimators.length > 0,
  };
  const steps = attempt(binding(spec), clusters, undefined, options);
  return decided(steps, query => memberEstimates(query, { estimators, assumed, signal }));
};

function* setsOf(sets: number) {
  yield;
  return sets;
}

t.test('the smallest estimate counts, and only clusters that passed the filters are asked about', async t => {
  const a = estimatorOf({ m1: 1, m2: 20 });
  const b = estimatorOf({ m1: 4, m2: 5 });
  const requirements = { resourceRequest: { cpu: '1' } };
  const placement = { ...dynamic, clusterAffinity: { clusterNames: ['m1', 'm2'] } };
  const result = await decide({ replicas: 6, replicaRequirements: requirements, placement }, [
    a.estimator,
    b.estimator,
  ]);
  t.same(result.clusters, [
    { name: 'm1', replicas: 1 },
    { name: 'm2', replicas: 5 },
  ]);
  const request = { namespace: 'n', object: 'kind=Deployment, name=n/web', requirements, assumed };
  t.same(a.asked, [{ request, clusters: ['m1', 'm2'] }]);
  t.same(b.asked, a.asked);
});

t.test('clusters without an answer keep the estimate of their status', async t => {
  const { estimator } = estimatorOf({ m2: 1 });
  const placement = { ...dynamic, clusterAffinity: { clusterNames: ['m1', 'm2'] } };
  const result = await decide({ replicas: 10, placement }, [estimator]);
  t.same(result.clusters, [
    { name: 'm1', replicas: 9 },
    { name: 'm2', replicas: 1 },
  ]);
});

t.test('sets of components are asked about as such', async t => {
  const { estimator, asked } = estimatorOf({ m1: 0, m2: 0, m3: 1 });
  const components = [
    { name: 'master', replicas: 1 },
    { name: 'worker', replicas: 2 },
  ];
  const spreadConstraints = [{ spreadByField: 'cluster' as const, minGroups: 1, maxGroups: 1 }];
  const placement = { ...dynamic, spreadConstraints };
  const result = await decide({ components, placement }, [estimator]);
  t.same(result.clusters, [{ name: 'm3', components }]);
  t.match(asked, [{ request: { components }, clusters: ['m1', 'm2', 'm3'] }]);
});

t.test('nobody is asked about what takes no resources, or fits nowhere', async t => {
  const { estimator, asked } = estimatorOf({});
  await decide({ placement: {} }, [estimator]);
  await decide({ replicas: 1, placement: { clusterAffinity: { clusterNames: ['m4'] } } }, [estimator]);
  t.same(asked, []);
});

t.test('each term of clusterAffinities is asked about', async t => {
  const { estimator, asked } = estimatorOf({ m1: 1, m2: 2 });
  const clusterAffinities = ['m1', 'm2'].map(name => ({ affinityName: name, clusterNames: [name] }));
  const result = await decide({ replicas: 2, placement: { ...dynamic, clusterAffinities } }, [estimator]);
  t.match(result, { affinityName: 'm2', clusters: [{ name: 'm2', replicas: 2 }] });
  t.same(
    asked.map(({ clusters }) => clusters),
    [['m1'], ['m2']],
  );
});

t.test('there is no promise without estimators', async t => {
  // The tests before may have used up the slice of their turn.
  await new Promise(setImmediate);
  t.notOk(decide({ replicas: 1, placement: {} }, []) instanceof Promise);
});
