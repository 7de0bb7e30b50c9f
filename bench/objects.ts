/** The objects to write, of typical size. */

const text = 'The quick brown fox jumps over the lazy dog. '.repeat(20);

/** Returns a ConfigMap of about 1.2 kB as stored. */
export const configMap = (name: string, turn = 0): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels: { app: 'bench', turn: `t${turn}` } },
    data: { text },
  });

export const deployment = (name: string, replicas = 2): string =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels: { app: name } },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [
            {
              name: 'web',
              image: 'nginx:1.27',
              ports: [{ containerPort: 80 }],
              env: [{ name: 'LEVEL', value: 'info' }],
              resources: { requests: { cpu: '10m', memory: '16Mi' } },
            },
          ],
        },
      },
    },
  });

/** Returns a policy for all Deployments of the namespace that divides their replicas evenly. */
export const policy = (members: readonly string[]): string =>
  JSON.stringify({
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { name: 'bench' },
    spec: {
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
      placement: {
        clusterAffinity: { clusterNames: members },
        replicaScheduling: {
          replicaSchedulingType: 'Divided',
          replicaDivisionPreference: 'Weighted',
          weightPreference: {
            staticWeightList: members.map(name => ({ targetCluster: { clusterNames: [name] }, weight: 1 })),
          },
        },
      },
    },
  });

const core = (namespace: string, resource: string): string => `/api/v1/namespaces/${namespace}/${resource}`;

export const configMaps = (namespace: string): string => core(namespace, 'configmaps');
export const deployments = (namespace: string): string => `/apis/apps/v1/namespaces/${namespace}/deployments`;
export const policies = (namespace: string): string =>
  `/apis/policy.karmada.io/v1alpha1/namespaces/${namespace}/propagationpolicies`;
