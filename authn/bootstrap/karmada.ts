/** Builds the objects that Karmada's installation adds to a fresh server. */
import { toBase64 } from '../../apimachinery/codec/base64.js';
import { writeYaml } from '../../lib/yaml/write-yaml.js';
import type { BindingFact, RoleFact } from './tables.js';
import { expected, type Expected } from './expected.js';
import { bindingOf, roleOf } from './policy.js';
import { acceptAny, reconcileData } from './reconcile.js';
import { labels } from '../../api/karmada/well-known.js';
import { autoupdateAnnotation, bootstrappingLabel } from '../../api/kubernetes/well-known.js';

/** Namespaced resources by group, with status where they have one. */
const namespaced: Readonly<Record<string, readonly string[]>> = {
  'autoscaling.karmada.io': ['cronfederatedhpas', 'cronfederatedhpas/status', 'federatedhpas', 'federatedhpas/status'],
  'multicluster.x-k8s.io': ['serviceexports', 'serviceexports/status', 'serviceimports', 'serviceimports/status'],
  'networking.karmada.io': [
    'multiclusteringresses',
    'multiclusteringresses/status',
    'multiclusterservices',
    'multiclusterservices/status',
  ],
  'policy.karmada.io': ['overridepolicies', 'propagationpolicies'],
  'work.karmada.io': ['resourcebindings', 'resourcebindings/status', 'works', 'works/status'],
};

const rulesWith = (...verbs: readonly string[]): RoleFact['rules'] =>
  Object.entries(namespaced).map(([group, resources]) => ({ verbs, apiGroups: [group], resources }));

const rule = (verb: string, group: string, resource: string, ...resourceNames: readonly string[]) => ({
  verbs: [verb],
  apiGroups: [group],
  resources: [resource],
  ...(resourceNames.length > 0 && { resourceNames }),
});

const system = { labels: { [labels.system]: 'true' } };
/** Metadata of roles that are aggregated into the default roles, and updated as those are. */
const aggregated = {
  labels: { ...system.labels, [bootstrappingLabel]: 'rbac-defaults' },
  annotations: { [autoupdateAnnotation]: 'true' },
};

const bootstrappers = 'Group/system:bootstrappers:karmada:default-cluster-token';
const approver = 'system:karmada:certificatesigningrequest:autoapprover';
const selfApprover = 'system:karmada:certificatesigningrequest:selfautoapprover';
const generator = 'system:karmada:agent-rbac-generator';
const clusterInfoReader = 'system:karmada:bootstrap-signer-clusterinfo';
const csrs = 'certificates.k8s.io';

const roles: readonly RoleFact[] = [
  { name: 'cluster-proxy-admin', rules: [rule('*', 'cluster.karmada.io', 'clusters/proxy')] },
  { name: generator, rules: [rule('*', '*', '*')] },
  { name: approver, rules: [rule('create', csrs, 'certificatesigningrequests/clusteragent')] },
  { name: selfApprover, rules: [rule('create', csrs, 'certificatesigningrequests/selfclusteragent')] },
];

const general: readonly RoleFact[] = [
  {
    name: 'karmada-view',
    labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' },
    rules: rulesWith('get', 'list', 'watch'),
  },
  {
    name: 'system:aggregated-metrics-reader', // as metrics-server manifests/base/rbac.yaml
    labels: Object.fromEntries(
      ['view', 'edit', 'admin'].map(role => [`rbac.authorization.k8s.io/aggregate-to-${role}`, 'true']),
    ),
    rules: [{ verbs: ['get', 'list', 'watch'], apiGroups: ['metrics.k8s.io'], resources: ['pods', 'nodes'] }],
  },
  {
    name: 'karmada-edit',
    labels: { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' },
    rules: rulesWith('create', 'update', 'patch', 'delete', 'deletecollection'),
  },
];

const bindings: readonly BindingFact[] = [
  { name: 'cluster-proxy-admin', role: 'ClusterRole/cluster-proxy-admin', subjects: ['User/system:admin'] },
  { name: generator, role: `ClusterRole/${generator}`, subjects: ['User/system:karmada:agent:rbac-generator'] },
  { name: 'system:karmada:agent-bootstrap', role: 'ClusterRole/system:node-bootstrapper', subjects: [bootstrappers] },
  { name: 'system:karmada:agent-autoapprove-bootstrap', role: `ClusterRole/${approver}`, subjects: [bootstrappers] },
  {
    name: 'system:karmada:agent-autoapprove-certificate-rotation',
    role: `ClusterRole/${selfApprover}`,
    subjects: ['Group/system:karmada:agents'],
  },
];

export interface KarmadaOptions {
  /** The namespace of Karmada's own objects, such as `karmada-system`. */
  readonly namespace: string;
  /** The URL and authority for agents; absent: no cluster-info is published. */
  readonly server?: { readonly url: string; readonly authority: string };
}

const clusterInfo = ({ url, authority }: { readonly url: string; readonly authority: string }): string =>
  writeYaml({
    apiVersion: 'v1',
    clusters: [
      {
        cluster: { 'certificate-authority-data': toBase64(authority), server: url },
        name: '',
      },
    ],
    contexts: null,
    'current-context': '',
    kind: 'Config',
    preferences: {},
    users: null,
  });

/** Returns the objects that a control plane of Karmada has from its start, besides those of Kubernetes. */
export function karmadaObjects({ namespace, server }: KarmadaOptions): readonly Expected[] {
  const reader = { name: clusterInfoReader, namespace: 'kube-public' };
  const readable = [rule('get', '', 'configmaps', 'cluster-info')];
  return [
    expected('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, acceptAny),
    ...general.map(fact => roleOf(fact, aggregated)),
    ...roles.map(fact => roleOf(fact, system)),
    ...bindings.map(fact => bindingOf(fact, system)),
    roleOf({ ...reader, rules: readable }, {}),
    bindingOf({ ...reader, role: `Role/${clusterInfoReader}`, subjects: ['User/system:anonymous'] }, {}),
    ...(server === undefined
      ? []
      : [
          expected(
            'configmaps',
            {
              apiVersion: 'v1',
              kind: 'ConfigMap',
              metadata: { name: 'cluster-info', namespace: 'kube-public' },
              data: { kubeconfig: clusterInfo(server) },
            },
            reconcileData,
          ),
        ]),
  ];
}
