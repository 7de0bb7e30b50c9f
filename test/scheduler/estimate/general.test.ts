/** How many replicas fit into a cluster, by its summary and by its models. as pkg/estimator/client GeneralEstimator.maxAvailableReplicas */
import t from 'tap';
import type { ResourceList, ResourceModel, ResourceSummary } from '../../../api/karmada/types.js';
import { estimateReplicas } from '../../../scheduler/estimate/general.js';
import { cluster } from '../objects.js';

const fits = (resourceSummary: ResourceSummary, resourceRequest: ResourceList, models?: ResourceModel[]): number =>
  estimateReplicas(
    { ...cluster('m1', models && { resourceModels: models }), status: { resourceSummary } },
    { resourceRequest },
  );

t.test('the request and what is free are each rounded up to the unit in which Karmada counts', async t => {
  const table: { free: ResourceList; request: ResourceList; expect: number }[] = [
    { free: { cpu: '1' }, request: { cpu: '100500u' }, expect: 9 },
    { free: { cpu: '9100u' }, request: { cpu: '5m' }, expect: 2 },
    { free: { memory: '10' }, request: { memory: '1500m' }, expect: 5 },
    { free: { memory: '900m' }, request: { memory: '100m' }, expect: 1 },
  ];
  for (const { free, request, expect } of table)
    t.equal(fits({ allocatable: { ...free, pods: '110' } }, request), expect, JSON.stringify([free, request]));
});

t.test('a node of a model takes as many replicas as its rounded minimum is sufficient for', async t => {
  const models = [{ grade: 0, ranges: [{ name: 'cpu', min: '9100u', max: '20m' }] }];
  const summary = { allocatable: { pods: '110' }, allocatableModelings: [{ grade: 0, count: 3 }] };
  t.equal(fits(summary, { cpu: '5m' }, models), 6);
  t.equal(fits(summary, { cpu: '5m', memory: '1' }, models), 0, 'the model does not have the resource');
  t.equal(fits(summary, { cpu: '5m', storage: '1Gi', gold: '1', pods: '9' }, models), 6, 'nodes do not count these');
});

t.test('of several ranges of a resource in one grade, the last one counts', async t => {
  const ranges = ['9', '4'].map(min => ({ name: 'cpu', min, max: '10' }));
  const summary = { allocatable: { pods: '110' }, allocatableModelings: [{ grade: 0, count: 2 }] };
  t.equal(fits(summary, { cpu: '2' }, [{ grade: 0, ranges }]), 4);
});
