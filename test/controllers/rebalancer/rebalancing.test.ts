import t from 'tap';
import { observedWorkloads, type WorkloadRebalancer } from '../../../controllers/rebalancer/rebalancing.js';

const workload = (name: string): { apiVersion: string; kind: string; namespace: string; name: string } => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  namespace: 'n',
  name,
});

t.test('a rebalancer observes the workloads of its spec and its successful ones', async t => {
  const rebalancer: WorkloadRebalancer = {
    apiVersion: 'apps.karmada.io/v1alpha1',
    kind: 'WorkloadRebalancer',
    metadata: { name: 'r' },
    spec: { workloads: [workload('new'), workload('kept'), workload('new')] },
    status: {
      observedWorkloads: [
        { workload: workload('done'), result: 'Successful' },
        { workload: workload('kept'), result: 'Failed', reason: 'ReferencedBindingNotFound' },
        { workload: workload('lost'), result: 'Failed' },
        { workload: workload('open') },
      ],
    },
  };
  t.same(observedWorkloads(rebalancer), [
    { workload: workload('done'), result: 'Successful' },
    { workload: workload('kept'), result: 'Failed', reason: 'ReferencedBindingNotFound' },
    { workload: workload('new') },
  ]);
});
