/** The descriptions that `kubectl explain` prints for the compiled-in kinds (custom resources have their own descriptions). */

const packages = 'com.github.karmada-io.karmada.pkg.apis.';

/** Type -> its description, under '', and the descriptions of its fields. */
const texts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'cluster.v1alpha1.Cluster': {
    '': 'A member cluster.',
    spec: 'How it is reached, and what is known of it.',
    status: 'How it is doing.',
  },
  'cluster.v1alpha1.ClusterSpec': {
    '': 'How a member cluster is reached, and what is known of it.',
    id: 'What tells the cluster from all others, whatever it is called. Found out when it is registered; not to be changed.',
    syncMode:
      'Push: the control plane writes to the cluster. Pull: an agent in the cluster fetches what is written there.',
    apiEndpoint: 'The address of its API server: HOST, HOST:PORT, IP, IP:PORT, or a URL.',
    secretRef: 'The Secret with the token and the caBundle to reach it with.',
    impersonatorSecretRef: 'The Secret with the token of who may impersonate users there; for the proxy.',
    insecureSkipTLSVerification: 'The certificate of its API server is not checked.',
    proxyURL: 'The proxy that leads to it: http, https or socks5.',
    proxyHeader: 'Headers for that proxy; several values of one are separated by commas.',
    provider: 'Who provides the cluster.',
    region: 'The region it is in.',
    zone: 'Deprecated: use zones.',
    zones: 'The zones it is in.',
    taints: 'Keep away what does not tolerate them.',
    resourceModels: 'The grades that its nodes are counted by. Unset: nine grades of CPU and memory.',
  },
  'cluster.v1alpha1.ClusterStatus': {
    '': 'How a member cluster is doing.',
    kubernetesVersion: 'The version of its API server.',
    apiEnablements: 'What it serves.',
    conditions: 'Ready: it can be reached and is well. CompleteAPIEnablements: all that it serves is known.',
    nodeSummary: 'How many nodes it has.',
    resourceSummary: 'What its nodes have, and what of that is taken.',
    remedyActions: 'What is to be done about it, as Remedies say.',
  },
  'cluster.v1alpha1.APIEnablement': {
    '': 'What is served in a group and version.',
    groupVersion: 'The group and version.',
    resources: 'The resources.',
  },
  'cluster.v1alpha1.APIResource': { '': 'A resource.', kind: 'Its kind.', name: 'Its plural name.' },
  'cluster.v1alpha1.LocalSecretReference': { '': 'A Secret.', namespace: 'Its namespace.', name: 'Its name.' },
  'cluster.v1alpha1.NodeSummary': {
    '': 'Numbers of nodes.',
    totalNum: 'How many there are.',
    readyNum: 'How many of them are ready.',
  },
  'cluster.v1alpha1.ResourceSummary': {
    '': 'What nodes have, and what of that is taken.',
    allocatable: 'What the nodes have for pods, all together.',
    allocating: 'What pods request that wait for a node.',
    allocated: 'What pods request that have a node.',
    allocatableModelings: 'How many nodes are in each grade.',
  },
  'cluster.v1alpha1.AllocatableModeling': {
    '': 'A number of nodes.',
    grade: 'The grade.',
    count: 'How many nodes are in it.',
  },
  'cluster.v1alpha1.ResourceModel': {
    '': 'A grade of nodes.',
    grade: 'Its number, from 0 on.',
    ranges: 'What a node of the grade has of each resource. All grades name the same resources.',
  },
  'cluster.v1alpha1.ResourceModelRange': {
    '': 'A range of amounts.',
    name: 'The resource.',
    min: 'The least, which is in the range. Of the first grade it is always 0.',
    max: 'The most, which is not in the range any more. The last grade has no end.',
  },
  'policy.v1alpha1.ClusterAffinity': {
    '': 'Which clusters; what is left out does not restrict.',
    labelSelector: 'Selects clusters by their labels.',
    fieldSelector: 'Selects clusters by provider, region and zone.',
    clusterNames: 'Select these clusters only. Empty: by name all are selected.',
    exclude: 'Never select these clusters.',
  },
  'policy.v1alpha1.FieldSelector': {
    '': 'Conditions on fields.',
    matchExpressions:
      'The conditions; all of them must hold. Keys are provider, region and zone, operators In and NotIn.',
  },
  'search.v1alpha1.ResourceRegistry': {
    '': 'Says which resources of which clusters can be searched.',
    spec: 'Which resources of which clusters.',
    status: 'How it is doing.',
  },
  'search.v1alpha1.ResourceRegistrySpec': {
    '': 'Which resources of which clusters can be searched.',
    targetCluster: 'The clusters.',
    resourceSelectors: 'The resources.',
    backendStore: 'Where they are kept. Unset: in memory.',
  },
  'search.v1alpha1.ResourceRegistryStatus': { '': 'How it is doing.', conditions: 'Its conditions.' },
  'search.v1alpha1.ResourceSelector': {
    '': 'A kind of resources.',
    apiVersion: 'Their group and version.',
    kind: 'Their kind.',
    namespace: 'Their namespace. Empty: all.',
  },
  'search.v1alpha1.BackendStoreConfig': { '': 'Where resources are kept.', openSearch: 'In OpenSearch.' },
  'search.v1alpha1.OpenSearchConfig': {
    '': 'An OpenSearch service.',
    addresses: 'Its addresses: https://HOST:PORT.',
    secretRef: 'The Secret with userName and password.',
  },
};

/** Returns the text for a type by its name in OpenAPI, or for a field of it; undefined for all types that are not Karmada's. */
export function describeKarmada(typeName: string, field = ''): string | undefined {
  if (!typeName.startsWith(packages)) return undefined;
  return texts[typeName.slice(packages.length)]?.[field];
}
