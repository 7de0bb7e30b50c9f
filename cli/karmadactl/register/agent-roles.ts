/** The roles that an agent has in the control plane. as Karmada's pkg/karmadactl/register GenerateRBACResources */
import type { GroupVersionResource, KubeObject } from '../../../apimachinery/interface.js';
import { rbac } from '../../../aggregation/members/resources.js';
import { executionNamespace, impersonationSecretName } from '../../../api/karmada/names.js';
import { labels } from '../../../api/karmada/well-known.js';
import { namespaces } from '../../../api/kubernetes/resources.js';
import { ignoreNotFound } from '../../../client/find.js';
import type { Client } from '../../../client/interface.js';
import { objectKey } from '../../../client/key.js';
import { createOrUpdate } from '../../../client/runtime/update.js';

export const agentGroup = 'system:karmada:agents';
/** Returns the user of the agent of a cluster: the common name of its certificate. */
export const agentUser = (cluster: string): string => `system:karmada:agent:${cluster}`;

const systemLabels = { [labels.system]: 'true' };

interface Placed {
  readonly resource: GroupVersionResource;
  readonly object: KubeObject & { roleRef?: unknown; rules?: unknown; subjects?: unknown };
}

interface Rule {
  readonly verbs: readonly string[];
  readonly group: string;
  readonly resources: readonly string[];
  readonly names?: readonly string[];
}

const rule = ({ verbs, group, resources, names }: Rule) => ({
  ...{ verbs, apiGroups: [group], resources },
  ...(names && { resourceNames: names }),
});

const generalRules = (cluster: string): readonly Rule[] => [
  { verbs: ['get', 'delete'], group: 'cluster.karmada.io', resources: ['clusters'], names: [cluster] },
  { verbs: ['create', 'list', 'watch'], group: 'cluster.karmada.io', resources: ['clusters'] },
  { verbs: ['update'], group: 'cluster.karmada.io', resources: ['clusters/status'], names: [cluster] },
  // differs: Karmada has no reverse tunnels.
  { verbs: ['create'], group: 'cluster.karmada.io', resources: ['clusters/tunnel'], names: [cluster] },
  {
    verbs: ['get', 'list', 'watch'],
    group: 'config.karmada.io',
    resources: ['resourceinterpreterwebhookconfigurations', 'resourceinterpretercustomizations'],
  },
  { verbs: ['get'], group: '', resources: ['namespaces'] },
  { verbs: ['get', 'create', 'update'], group: 'coordination.k8s.io', resources: ['leases'] },
  { verbs: ['get', 'create'], group: 'certificates.k8s.io', resources: ['certificatesigningrequests'] },
  { verbs: ['list', 'watch'], group: '', resources: ['services'] },
  { verbs: ['patch', 'create', 'update'], group: '', resources: ['events'] },
];

const secretRules = (cluster: string): readonly Rule[] => [
  { verbs: ['get', 'patch'], group: '', resources: ['secrets'], names: [cluster, impersonationSecretName(cluster)] },
  { verbs: ['create'], group: '', resources: ['secrets'] },
];

const workRules: readonly Rule[] = [
  {
    verbs: ['get', 'create', 'list', 'watch', 'update', 'delete'],
    group: 'work.karmada.io',
    resources: ['works'],
  },
  { verbs: ['patch', 'update'], group: 'work.karmada.io', resources: ['works/status'] },
];

/** Returns a role with its binding; cluster-scoped without a namespace. */
function granted(
  cluster: string,
  name: string,
  namespace: string | undefined,
  rules: readonly Rule[],
): readonly Placed[] {
  const prefix = namespace === undefined ? 'Cluster' : '';
  const [apiGroup, apiVersion] = ['rbac.authorization.k8s.io', 'rbac.authorization.k8s.io/v1'];
  const metadata = () => ({ name, ...(namespace !== undefined && { namespace }) });
  return [
    {
      resource: rbac(namespace === undefined ? 'clusterroles' : 'roles'),
      object: { apiVersion, kind: `${prefix}Role`, metadata: metadata(), rules: rules.map(rule) },
    },
    {
      resource: rbac(namespace === undefined ? 'clusterrolebindings' : 'rolebindings'),
      object: {
        ...{ apiVersion, kind: `${prefix}RoleBinding`, metadata: metadata() },
        subjects: [{ apiGroup, kind: 'User', name: agentUser(cluster) }],
        roleRef: { apiGroup, kind: `${prefix}Role`, name },
      },
    },
  ];
}

const agentRoles = (cluster: string, clusterNamespace: string): readonly Placed[] => [
  ...granted(cluster, `system:karmada:${cluster}:agent`, undefined, generalRules(cluster)),
  ...granted(cluster, `system:karmada:${cluster}:agent-secret`, clusterNamespace, secretRules(cluster)),
  ...granted(cluster, `system:karmada:${cluster}:agent-work`, executionNamespace(cluster), workRules),
];

/** Creates a namespace if it is missing. */
export async function ensureSystemNamespace(client: Client, name: string): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: systemLabels } };
  await createOrUpdate(client, namespaces, undefined, namespace, () => undefined);
}

/** Creates the namespaces of an agent and its roles in them; roles that exist are updated. */
export async function createAgentRoles(client: Client, cluster: string, clusterNamespace: string): Promise<void> {
  for (const name of [clusterNamespace, executionNamespace(cluster)]) await ensureSystemNamespace(client, name);
  for (const { resource, object } of agentRoles(cluster, clusterNamespace))
    await createOrUpdate(client, resource, undefined, object, draft => {
      if (object.rules !== undefined) draft.rules = object.rules;
      if (object.subjects !== undefined) draft.subjects = object.subjects;
    });
}

/** Deletes the roles; the namespaces stay. */
export async function deleteAgentRoles(client: Client, cluster: string, clusterNamespace: string): Promise<void> {
  for (const { resource, object } of agentRoles(cluster, clusterNamespace))
    await ignoreNotFound(client.delete(resource, objectKey(object)));
}

/** Returns the roles and bindings, one per line, as `Kind/namespace/name`. */
export const describeAgentRoles = (cluster: string, clusterNamespace: string): string =>
  agentRoles(cluster, clusterNamespace)
    .map(({ object: { kind, metadata } }) =>
      [kind, metadata.namespace, metadata.name].filter(part => part !== undefined).join('/'),
    )
    .join('\n');
