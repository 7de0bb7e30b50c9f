/** When an object in a member is healthy. as pkg/resourceinterpreter/default/native healthy.go */
import t from 'tap';
import { isHealthy } from '../../../../controllers/interpreter/native/health.js';

interface Row {
  readonly name: string;
  readonly generation?: number;
  readonly spec?: object;
  readonly status?: object;
  readonly expect: boolean;
}

function check(kinds: readonly string[], rows: readonly Row[]): void {
  for (const kind of kinds)
    t.test(kind, async t => {
      const [, apiVersion = '', name = ''] = /^(.*)\/([^/]+)$/.exec(kind) ?? [];
      for (const { name: row, generation = 2, spec, status, expect } of rows) {
        const object = { apiVersion, kind: name, metadata: { name: 'o', generation }, ...{ spec, status } };
        t.equal(isHealthy[kind]?.(object), expect, row);
      }
    });
}

const done = { observedGeneration: 2, updatedReplicas: 3, availableReplicas: 3 };

check(
  ['apps/v1/Deployment', 'apps/v1/StatefulSet'],
  [
    { name: 'all replicas are new and available', spec: { replicas: 3 }, status: done, expect: true },
    { name: 'the spec is newer', spec: { replicas: 3 }, status: { ...done, observedGeneration: 1 }, expect: false },
    { name: 'an old replica is left', spec: { replicas: 4 }, status: done, expect: false },
    { name: 'more new ones than wanted', spec: { replicas: 2 }, status: done, expect: true },
    {
      name: 'a new one is not available',
      spec: { replicas: 3 },
      status: { ...done, availableReplicas: 2 },
      expect: false,
    },
    {
      name: 'old ones are still available',
      spec: { replicas: 3 },
      status: { ...done, availableReplicas: 5 },
      expect: true,
    },
    { name: 'replicas are not set', spec: {}, status: done, expect: true },
    { name: 'scaled to none', spec: { replicas: 0 }, status: { observedGeneration: 2 }, expect: true },
    { name: 'no status', spec: { replicas: 1 }, expect: false },
  ],
);

check(
  ['apps/v1/ReplicaSet'],
  [
    { name: 'available', spec: { replicas: 3 }, status: done, expect: true },
    { name: 'one is missing', spec: { replicas: 4 }, status: done, expect: false },
    { name: 'the spec is newer', spec: { replicas: 3 }, status: { ...done, observedGeneration: 1 }, expect: false },
    { name: 'replicas are not set', spec: {}, status: { observedGeneration: 2 }, expect: true },
  ],
);

const everywhere = { observedGeneration: 2, updatedNumberScheduled: 3, desiredNumberScheduled: 3, numberAvailable: 3 };

check(
  ['apps/v1/DaemonSet'],
  [
    { name: 'on all nodes', status: everywhere, expect: true },
    { name: 'the spec is newer', status: { ...everywhere, observedGeneration: 1 }, expect: false },
    { name: 'a node has the old one', status: { ...everywhere, updatedNumberScheduled: 2 }, expect: false },
    { name: 'one is not available', status: { ...everywhere, numberAvailable: 2 }, expect: false },
    { name: 'no node', status: { observedGeneration: 2 }, expect: true },
  ],
);

const points = (...ingress: object[]) => ({ loadBalancer: { ingress } });

check(
  ['networking.k8s.io/v1/Ingress'],
  [
    { name: 'an address', status: points({ ip: '10.0.0.1' }), expect: true },
    { name: 'a name, after an empty point', status: points({ ip: '' }, { hostname: 'h' }), expect: true },
    { name: 'an empty point', status: points({ ports: [] }), expect: false },
    { name: 'no status', expect: false },
  ],
);

check(
  ['v1/Service'],
  [
    { name: 'no load balancer', spec: { type: 'ClusterIP' }, expect: true },
    { name: 'no type', spec: {}, expect: true },
    {
      name: 'a load balancer with an address',
      spec: { type: 'LoadBalancer' },
      status: points({ ip: '1' }),
      expect: true,
    },
    { name: 'a load balancer without one', spec: { type: 'LoadBalancer' }, status: points(), expect: false },
  ],
);

check(
  ['v1/PersistentVolumeClaim'],
  [
    { name: 'bound', status: { phase: 'Bound' }, expect: true },
    { name: 'pending', status: { phase: 'Pending' }, expect: false },
    { name: 'no status', expect: false },
  ],
);

const ready = (status: string) => ({
  conditions: [
    { type: 'Initialized', status: 'True' },
    { type: 'Ready', status },
  ],
});

check(
  ['v1/Pod'],
  [
    { name: 'succeeded', status: { phase: 'Succeeded', ...ready('False') }, expect: true },
    { name: 'running and ready', status: { phase: 'Running', ...ready('True') }, expect: true },
    { name: 'running, not ready', status: { phase: 'Running', ...ready('False') }, expect: false },
    { name: 'running, no condition', status: { phase: 'Running' }, expect: false },
    { name: 'pending with a condition of before', status: { phase: 'Pending', ...ready('True') }, expect: false },
    { name: 'failed', status: { phase: 'Failed', ...ready('True') }, expect: false },
  ],
);

check(
  ['policy/v1/PodDisruptionBudget'],
  [
    { name: 'enough', status: { currentHealthy: 2, desiredHealthy: 2 }, expect: true },
    { name: 'too few', status: { currentHealthy: 1, desiredHealthy: 2 }, expect: false },
    { name: 'no status', expect: true },
  ],
);
