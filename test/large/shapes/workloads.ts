/** Shapes of Deployments with large pods. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { inGroup, metadata, type Shape, times } from './shape.js';

const labels = { app: 'a' };

/** Returns a Deployment whose pods have this spec. */
function deployment(spec: object): KubeObject {
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } };
  const made = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: { selector: { matchLabels: labels }, template },
  };
  return made;
}

const deployments = { collection: inGroup('apps/v1', 'deployments'), native: true, small: { spec: { replicas: 3 } } };

export const workloadShapes: readonly Shape[] = [
  {
    name: 'deployment/containers',
    ...deployments,
    make: n => deployment({ containers: times(n, i => ({ name: `c${i}`, image: 'i' })) }),
  },
  {
    name: 'deployment/env',
    ...deployments,
    make: n =>
      deployment({ containers: [{ name: 'c', image: 'i', env: times(n, i => ({ name: `E${i}`, value: 'v' })) }] }),
  },
  {
    name: 'deployment/volumes',
    ...deployments,
    make: n => deployment({ volumes: times(n, i => ({ name: `v${i}`, emptyDir: {} })) }),
  },
  {
    name: 'deployment/mounts',
    ...deployments,
    make: n =>
      deployment({
        volumes: [{ name: 'v', emptyDir: {} }],
        containers: [{ name: 'c', image: 'i', volumeMounts: times(n, i => ({ name: 'v', mountPath: `/m${i}` })) }],
      }),
  },
  {
    name: 'deployment/ports',
    ...deployments,
    make: n =>
      deployment({
        containers: [{ name: 'c', image: 'i', ports: times(n, i => ({ containerPort: 1 + (i % 65535) })) }],
      }),
  },
  {
    name: 'deployment/tolerations',
    ...deployments,
    make: n => deployment({ tolerations: times(n, i => ({ key: `k${i}`, operator: 'Exists' })) }),
  },
  {
    name: 'deployment/node selector terms',
    ...deployments,
    make: n =>
      deployment({
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: times(n, i => ({
                matchExpressions: [{ key: `k${i}`, operator: 'In', values: ['a', 'b'] }],
              })),
            },
          },
        },
      }),
  },
  {
    name: 'deployment/host aliases',
    ...deployments,
    make: n => deployment({ hostAliases: times(n, i => ({ ip: '1.2.3.4', hostnames: [`h${i}`] })) }),
  },
  { name: 'deployment/empty containers', ...deployments, make: n => deployment({ containers: times(n, () => ({})) }) },
  {
    name: 'deployment/same containers',
    ...deployments,
    make: n => deployment({ containers: times(n, () => ({ name: 'c', image: 'i' })) }),
  },
];
