/** The descriptions that `kubectl explain` prints for the compiled-in kinds (custom resources have their own descriptions). */

const packages = 'com.github.karmada-io.karmada.pkg.apis.';

/** Type -> its description, under '', and the descriptions of its fields. */
const texts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'cluster.v1alpha1.Cluster': {
    '': 'A member cluster.',
    spec: 'The access to the cluster, and its properties.',
    status: 'The observed state of the cluster.',
  },
  'cluster.v1alpha1.ClusterSpec': {
    '': 'The access to a member cluster, and its properties.',
    id: 'The unique identifier of the cluster, independent of its name. Set when the cluster is registered; immutable.',
    syncMode:
      'Push: the control plane writes to the cluster. Pull: an agent in the cluster fetches what it has to apply.',
    apiEndpoint: 'The address of the API server: HOST, HOST:PORT, IP, IP:PORT, or a URL.',
    secretRef: 'The Secret with the token and the caBundle for the access to the cluster.',
    impersonatorSecretRef:
      'The Secret with the token of a user that may impersonate others in the cluster; for the proxy.',
    insecureSkipTLSVerification: 'Whether the certificate of the API server is not verified.',
    proxyURL: 'The URL of the proxy to the cluster: http, https or socks5.',
    proxyHeader: 'The headers for the proxy; several values of one header are separated by commas.',
    provider: 'The provider of the cluster.',
    region: 'The region of the cluster.',
    zone: 'Deprecated: use zones.',
    zones: 'The zones of the cluster.',
    taints: 'The taints of the cluster, which resources must tolerate to be scheduled to it.',
    resourceModels: 'The grades by which nodes are counted. Unset: nine grades of CPU and memory.',
  },
  'cluster.v1alpha1.ClusterStatus': {
    '': 'The observed state of a member cluster.',
    kubernetesVersion: 'The version of the API server.',
    apiEnablements: 'The APIs that the cluster serves.',
    conditions: 'Ready: the cluster is reachable and healthy. CompleteAPIEnablements: apiEnablements is complete.',
    nodeSummary: 'The numbers of nodes.',
    resourceSummary: 'The allocatable and the allocated resources of the nodes.',
    remedyActions: 'The actions that Remedies demand for the cluster.',
  },
  'cluster.v1alpha1.APIEnablement': {
    '': 'The resources that a cluster serves in a group and version.',
    groupVersion: 'The group and version.',
    resources: 'The resources.',
  },
  'cluster.v1alpha1.APIResource': {
    '': 'A resource.',
    kind: 'The kind of the resource.',
    name: 'The plural name of the resource.',
  },
  'cluster.v1alpha1.LocalSecretReference': {
    '': 'A reference to a Secret.',
    namespace: 'The namespace of the Secret.',
    name: 'The name of the Secret.',
  },
  'cluster.v1alpha1.NodeSummary': {
    '': 'Numbers of nodes.',
    totalNum: 'The number of nodes.',
    readyNum: 'The number of ready nodes.',
  },
  'cluster.v1alpha1.ResourceSummary': {
    '': 'The allocatable and the allocated resources of nodes.',
    allocatable: 'The allocatable resources of all nodes together.',
    allocating: 'The requests of pods that are not scheduled to a node yet.',
    allocated: 'The requests of pods that are scheduled to a node.',
    allocatableModelings: 'The number of nodes of each grade.',
  },
  'cluster.v1alpha1.AllocatableModeling': {
    '': 'The number of nodes of a grade.',
    grade: 'The grade.',
    count: 'The number of nodes.',
  },
  'cluster.v1alpha1.ResourceModel': {
    '': 'A grade of nodes.',
    grade: 'The number of the grade, from 0 on.',
    ranges: 'The resources of a node of this grade. All grades have the same resources.',
  },
  'cluster.v1alpha1.ResourceModelRange': {
    '': 'A range of quantities of a resource.',
    name: 'The name of the resource.',
    min: 'The minimum, which is in the range. It is 0 for the first grade.',
    max: 'The maximum, which is not in the range. The last grade has no maximum.',
  },
  'policy.v1alpha1.ClusterAffinity': {
    '': 'A selection of clusters. A field that is unset does not restrict it.',
    labelSelector: 'Selects clusters by their labels.',
    fieldSelector: 'Selects clusters by provider, region and zone.',
    clusterNames: 'Selects clusters by their names. Empty: all.',
    exclude: 'The names of clusters that are never selected.',
  },
  'policy.v1alpha1.FieldSelector': {
    '': 'Conditions on fields.',
    matchExpressions:
      'The conditions; all of them must hold. Keys are provider, region and zone, operators In and NotIn.',
  },
  'search.v1alpha1.ResourceRegistry': {
    '': 'Defines resources of member clusters that can be searched.',
    spec: 'The resources, and their clusters.',
    status: 'The observed state.',
  },
  'search.v1alpha1.ResourceRegistrySpec': {
    '': 'The resources that can be searched, and their clusters.',
    targetCluster: 'The clusters.',
    resourceSelectors: 'The resources.',
    backendStore: 'The store of the resources. Unset: memory.',
  },
  'search.v1alpha1.ResourceRegistryStatus': { '': 'The observed state.', conditions: 'The conditions.' },
  'search.v1alpha1.ResourceSelector': {
    '': 'Selects the resources of a kind.',
    apiVersion: 'The group and version of the resources.',
    kind: 'The kind of the resources.',
    namespace: 'The namespace of the resources. Empty: all.',
  },
  'search.v1alpha1.BackendStoreConfig': { '': 'The store of resources.', openSearch: 'An OpenSearch service.' },
  'search.v1alpha1.OpenSearchConfig': {
    '': 'An OpenSearch service.',
    addresses: 'The addresses of the service: https://HOST:PORT.',
    secretRef: 'The Secret with userName and password.',
  },
};

/** Returns the text for a type by its name in OpenAPI, or for a field of it; undefined for all types that are not Karmada's. */
export function describeKarmada(typeName: string, field = ''): string | undefined {
  if (!typeName.startsWith(packages)) return undefined;
  return texts[typeName.slice(packages.length)]?.[field];
}
