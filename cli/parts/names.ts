import { certificateControllers } from '../../controllers/certificates/start.js';
import { platformControllers } from '../../controllers/platform/start.js';
import { selectControllers } from '../flags/karmada/controller-selection.js';
import { unsupportedControllers } from './unsupported-controllers.js';

/** Names of karmada-controller-manager's controllers, and of those besides that run with them. */
export const karmadaControllerNames: readonly string[] = [
  'cluster',
  'clusterStatus',
  'binding',
  'bindingStatus',
  'execution',
  'workStatus',
  'namespace',
  'unifiedAuth',
  'detector',
  'dependenciesDistributor',
  'federatedResourceQuotaSync',
  'federatedResourceQuotaStatus',
  'federatedResourceQuotaEnforcement',
  'cronFederatedHorizontalPodAutoscaler',
  'gracefulEviction',
  'applicationFailover',
  'workloadRebalancer',
  'clustertaintpolicy',
  'remedy',
  'hpaScaleTargetMarker',
  'deploymentReplicasSyncer',
  'agentcsrapproving',
  'memberTokenRenewal',
];

/** Names of kube-controller-manager's controllers. */
export const kubernetesControllerNames: readonly string[] = [...platformControllers, ...certificateControllers];

/** Valid names for `--controllers`. Kubernetes' controllers have the names of kube-controller-manager. */
const controllerNames: readonly string[] = [
  ...karmadaControllerNames,
  ...kubernetesControllerNames,
  'scheduler',
  'descheduler',
];

/**
 * What `*` does not name: components of Karmada that must be installed besides the others, and controllers that are disabled by default.
 * as cmd/controller-manager/app controllersDisabledByDefault
 */
const offByDefault: ReadonlySet<string> = new Set(['descheduler', 'hpaScaleTargetMarker', 'deploymentReplicasSyncer']);

/**
 * Controllers that are no entries of karmada-controller-manager's list, which always runs them or does not know them: a list without `*` does not turn
 * them off. differs: `-NAME` does.
 */
const alwaysOn: readonly string[] = ['detector', 'dependenciesDistributor', 'memberTokenRenewal'];

/**
 * Former names of Kubernetes' controllers, which kube-controller-manager still accepts. `namespace` is also a controller of Karmada, and both lists
 * are one here: it names both.
 */
const aliases: Readonly<Record<string, readonly string[]>> = {
  namespace: ['namespace', 'namespace-controller'],
  garbagecollector: ['garbage-collector-controller'],
  'clusterrole-aggregation': ['clusterrole-aggregation-controller'],
  'ttl-after-finished': ['ttl-after-finished-controller'],
  'serviceaccount-token': ['serviceaccount-token-controller'],
  csrsigning: ['certificatesigningrequest-signing-controller'],
  csrapproving: ['certificatesigningrequest-approving-controller'],
  csrcleaner: ['certificatesigningrequest-cleaner-controller'],
  bootstrapsigner: ['bootstrap-signer-controller'],
  tokencleaner: ['token-cleaner-controller'],
};

export type Enabled = (controller: string) => boolean;

/** Reads the value of `--controllers`. Throws UsageError for a name that exists neither here nor upstream. */
export function parseControllers(list: readonly string[]): Enabled {
  const names = [...controllerNames, ...unsupportedControllers, ...Object.keys(aliases)];
  const selected = selectControllers(list.flatMap(withoutAlias), names, offByDefault);
  if (list.includes('-*')) return selected;
  return name => selected(name) || (alwaysOn.includes(name) && !list.includes(`-${name}`));
}

/** Returns the entries of `--controllers` that name controllers to run which are not supported yet. */
export const unsupportedIn = (list: readonly string[]): readonly string[] =>
  list.filter(entry => unsupportedControllers.has(entry));

/** Replaces a former name in an entry of `--controllers`. */
function withoutAlias(entry: string): readonly string[] {
  const name = entry.replace(/^-/, '');
  const sign = entry.slice(0, entry.length - name.length);
  return Object.hasOwn(aliases, name) ? (aliases[name] ?? []).map(known => sign + known) : [entry];
}
