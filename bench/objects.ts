/** The objects to write, of typical size. */

const text = 'The quick brown fox jumps over the lazy dog. '.repeat(20);

/** Returns a ConfigMap of about 1.2 kB as stored. */
export const configMap = (name: string, round = 0): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels: { app: 'bench', round: `t${round}` } },
    data: { text },
  });

const words = text.split(' ').slice(0, 9);

/** Returns text of this length that differs for every seed, as configuration does: words in an order that the seed decides. */
function textOf(seed: number, length: number): string {
  let state = seed * 2 + 1;
  let found = '';
  while (found.length < length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    found += `${words[(state >>> 8) % words.length]}${(state >>> 16) % 97} `;
  }
  return found.slice(0, length);
}

/** Returns a ConfigMap with 2 KiB of data, which differ from those of other ones. */
export const configMapOf2KiB = (index: number, round = 0): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `c-${index}`, labels: { app: 'bench' } },
    data: { text: textOf(index, 2048), round: String(round) },
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

/** Returns a policy that propagates all ConfigMaps of the namespace to the members. */
export const configMapPolicy = (members: readonly string[]): string =>
  JSON.stringify({
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { name: 'bench' },
    spec: {
      resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
      placement: { clusterAffinity: { clusterNames: members } },
    },
  });

/**
 * Returns a policy that divides the replicas of Deployments evenly: of all in the namespace or, with a name, which is also that of the policy, of
 * one.
 */
export const policy = (members: readonly string[], name?: string): string =>
  JSON.stringify({
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { name: name ?? 'bench' },
    spec: {
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', ...(name !== undefined && { name }) }],
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
export const resourceBindings = (namespace: string): string =>
  `/apis/work.karmada.io/v1alpha2/namespaces/${namespace}/resourcebindings`;
/** The Deployments of all namespaces. */
export const allDeployments = '/apis/apps/v1/deployments';
export const clusters = '/apis/cluster.karmada.io/v1alpha1/clusters';
export const policies = (namespace: string): string =>
  `/apis/policy.karmada.io/v1alpha1/namespaces/${namespace}/propagationpolicies`;
