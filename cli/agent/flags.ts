/** Flags of karmada-agent, with its names. */
import { clusterFlags, clusterNamespaceFlag } from '../flags/karmada/cluster.js';
import type { FlagTable } from '../flags/flags.js';
import { gateFlag } from '../flags/karmada/gates.js';
import { ignoredFlags } from '../flags/ignored.js';
import { rateFlags } from '../flags/karmada/karmada.js';
import { leaderFlags } from '../flags/leader.js';
import { logFlags } from '../flags/log.js';
import { probeFlags } from '../flags/probe.js';
import { workersFlag } from '../flags/karmada/worker.js';

const connectionFlags = {
  'karmada-kubeconfig': { type: 'string', value: 'FILE', help: 'Kubeconfig of the control plane' },
  'karmada-context': { type: 'string', value: 'NAME', help: 'Context of the control plane (default: the current one)' },
  'cluster-kubeconfig': {
    type: 'string',
    value: 'FILE',
    help: 'Kubeconfig of the cluster (default $KUBECONFIG, the account of the Pod, or ~/.kube/config)',
  },
  'cluster-context': { type: 'string', value: 'NAME', help: 'Context of the cluster (default: the current one)' },
  kubeconfig: { type: 'string', value: 'FILE', help: 'The same as --cluster-kubeconfig' },
  'cluster-api-qps': { ...clusterFlags['cluster-api-qps'], default: '40' },
  'cluster-api-burst': clusterFlags['cluster-api-burst'],
  'kube-api-qps': {
    type: 'string',
    value: 'N',
    default: '40',
    help: 'Requests per second to the control plane, without watches; 0: no limit',
  },
  'kube-api-burst': {
    type: 'number',
    value: 'N',
    default: 60,
    help: 'Requests to the control plane that may be sent at once, with --kube-api-qps',
  },
} as const satisfies FlagTable;

const registrationFlags = {
  'cluster-name': { type: 'string', value: 'NAME', help: 'Name of the Cluster object' },
  'cluster-namespace': clusterNamespaceFlag,
  'cluster-api-endpoint': {
    type: 'string',
    value: 'URL',
    help: 'Address of the cluster for the control plane, such as for its proxy and metrics',
  },
  'proxy-server-address': {
    type: 'string',
    value: 'URL',
    help: 'Proxy through which the control plane reaches the cluster',
  },
  'reverse-tunnel': {
    type: 'boolean',
    default: false,
    help: 'Keep a connection through which the control plane reaches the cluster, which needs no address then',
  },
  'report-secrets': {
    type: 'list',
    value: 'LIST',
    default: ['KubeCredentials', 'KubeImpersonator'],
    help: 'Secrets that the control plane gets: KubeCredentials, KubeImpersonator, or None',
  },
  'cluster-provider': { type: 'string', value: 'NAME', help: 'Provider of the cluster' },
  'cluster-region': { type: 'string', value: 'NAME', help: 'Region of the cluster' },
  'cluster-zones': { type: 'list', value: 'LIST', help: 'Zones of the cluster' },
} as const satisfies FlagTable;

const controllerFlags = {
  controllers: {
    type: 'list',
    value: 'LIST',
    default: ['*'],
    help: 'Controllers to run: "*" all but certRotation, "name" that one, "-name" not that one',
  },
  'cluster-status-update-frequency': clusterFlags['cluster-status-update-frequency'],
  'cluster-success-threshold': clusterFlags['cluster-success-threshold'],
  'cluster-failure-threshold': clusterFlags['cluster-failure-threshold'],
  'cluster-cache-sync-timeout': clusterFlags['cluster-cache-sync-timeout'],
  'cluster-lease-duration': {
    type: 'string',
    value: 'DURATION',
    default: '40s',
    help: 'How long the Lease of the cluster holds',
  },
  'cluster-lease-renew-interval-fraction': {
    type: 'string',
    value: 'N',
    default: '0.25',
    help: 'The share of --cluster-lease-duration after which the Lease is renewed',
  },
  'concurrent-cluster-syncs': workersFlag('Clusters'),
  'concurrent-work-syncs': workersFlag('Works'),
  'enable-cluster-resource-modeling': {
    type: 'boolean',
    default: true,
    help: 'Mirror the Nodes and Pods of the cluster and report their resources in the status of the Cluster',
  },
  'cert-rotation-checking-interval': {
    type: 'string',
    value: 'DURATION',
    default: '5m',
    help: 'Interval at which certRotation looks at the certificate',
  },
  'cert-rotation-remaining-time-threshold': {
    type: 'string',
    value: 'N',
    default: '0.2',
    help: 'The share of its life that a certificate has left when certRotation replaces it',
  },
  'karmada-kubeconfig-namespace': {
    type: 'string',
    value: 'NAME',
    default: 'karmada-system',
    help: 'Namespace of the Secret karmada-kubeconfig in the cluster, which certRotation writes',
  },
  ...rateFlags,
} as const satisfies FlagTable;

/** The flags that have a meaning here. */
export const agentFlags = {
  ...connectionFlags,
  ...registrationFlags,
  ...controllerFlags,
  ...leaderFlags,
  'leader-elect': { type: 'boolean', default: true, help: 'Let one of several agents of the cluster act at a time' },
  'leader-elect-resource-namespace': {
    ...leaderFlags['leader-elect-resource-namespace'],
    help: 'Namespace of the Lease karmada-agent-NAME in the control plane',
  },
  // differs: Karmada listens on all addresses.
  ...probeFlags({ health: '127.0.0.1:10357', metrics: '127.0.0.1:8080' }),
  'feature-gates': gateFlag('; CustomizedClusterResourceModeling and ControllerPriorityQueue have an effect'),
  ...logFlags,
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const satisfies FlagTable;

/** The flags with those of Karmada that have no effect. */
export const acceptedAgentFlags = { ...ignoredFlags, ...agentFlags };
