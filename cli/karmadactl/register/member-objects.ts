/** The objects of the agent in the member. as Karmada's pkg/karmadactl/register createSecretAndRBACInMemberCluster, makeKarmadaAgentDeployment */
import { toBase64 } from '../../../apimachinery/codec/base64.js';
import type { GroupVersionResource, KubeObject } from '../../../apimachinery/interface.js';
import { rbac } from '../../../aggregation/members/resources.js';
import { labels } from '../../../api/karmada/well-known.js';
import { masterRoleLabel } from '../../../api/kubernetes/well-known.js';
import { deployments, secrets, serviceAccounts } from '../../../api/kubernetes/resources.js';

export const agentName = 'karmada-agent';
/** The Secret with the kubeconfig of the agent, and its key. */
export const agentSecretName = 'karmada-kubeconfig';
export const agentAccountName = 'karmada-agent-sa';

const systemLabels = () => ({ [labels.system]: 'true' });
const agentLabels = () => ({ app: agentName });
const mountPath = '/etc/kubeconfig';

interface AgentOptions {
  readonly cluster: string;
  readonly namespace: string;
  readonly clusterNamespace: string;
  /** The kubeconfig of the agent for the control plane. */
  readonly kubeconfig: string;
  /** The address of the member. */
  readonly apiEndpoint: string;
  readonly proxyAddress: string;
  readonly provider: string;
  readonly region: string;
  readonly zones: readonly string[];
  readonly image: string;
  readonly replicas: number;
  /** The agent replaces its certificate before it expires (controller certRotation). */
  readonly rotatesCertificate: boolean;
}

interface Wanted {
  readonly resource: GroupVersionResource;
  readonly object: KubeObject;
}

/** Returns everything but the Deployment. */
export function agentAccess({
  namespace,
  kubeconfig,
}: Pick<AgentOptions, 'namespace' | 'kubeconfig'>): readonly Wanted[] {
  const [apiGroup, apiVersion] = ['rbac.authorization.k8s.io', 'rbac.authorization.k8s.io/v1'];
  const metadata = (name: string) => ({ name, namespace, labels: systemLabels() });
  const data = { [agentSecretName]: toBase64(kubeconfig) };
  return [
    {
      resource: secrets,
      object: { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata: metadata(agentSecretName), data },
    },
    {
      resource: rbac('clusterroles'),
      object: {
        ...{ apiVersion, kind: 'ClusterRole', metadata: { name: agentName, labels: systemLabels() } },
        rules: [
          { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
          { nonResourceURLs: ['*'], verbs: ['get'] },
        ],
      },
    },
    {
      resource: serviceAccounts,
      object: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata(agentAccountName) },
    },
    {
      resource: rbac('clusterrolebindings'),
      object: {
        ...{ apiVersion, kind: 'ClusterRoleBinding', metadata: { name: agentName, labels: systemLabels() } },
        roleRef: { apiGroup, kind: 'ClusterRole', name: agentName },
        subjects: [{ kind: 'ServiceAccount', name: agentAccountName, namespace }],
      },
    },
  ];
}

const commandOf = (options: AgentOptions): readonly string[] => [
  '/bin/karmada-agent',
  `--karmada-kubeconfig=${mountPath}/${agentSecretName}`,
  `--cluster-name=${options.cluster}`,
  `--cluster-api-endpoint=${options.apiEndpoint}`,
  `--cluster-provider=${options.provider}`,
  `--cluster-region=${options.region}`,
  `--cluster-zones=${options.zones.join(',')}`,
  `--controllers=${options.rotatesCertificate ? '*,certRotation' : '*'}`,
  `--proxy-server-address=${options.proxyAddress}`,
  `--leader-elect-resource-namespace=${options.namespace}`,
  `--cluster-namespace=${options.clusterNamespace}`,
  '--cluster-status-update-frequency=10s',
  '--metrics-bind-address=:8080',
  '--health-probe-bind-address=0.0.0.0:10357',
  '--v=2',
];

/** Returns the Deployment of the agent, as it has to be in the member. */
export const agentDeployment = (options: AgentOptions): Wanted => ({
  resource: deployments,
  object: {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: agentName, namespace: options.namespace, labels: agentLabels() },
    spec: {
      replicas: options.replicas,
      selector: { matchLabels: agentLabels() },
      template: {
        metadata: { labels: agentLabels() },
        spec: {
          serviceAccountName: agentAccountName,
          containers: [
            {
              ...{ name: agentName, image: options.image, command: commandOf(options) },
              ports: [{ name: 'metrics', containerPort: 8080, protocol: 'TCP' }],
              volumeMounts: [{ name: 'kubeconfig', mountPath }],
            },
          ],
          volumes: [{ name: 'kubeconfig', secret: { secretName: agentSecretName } }],
          tolerations: [{ key: masterRoleLabel, operator: 'Exists' }],
        },
      },
    },
  },
});
