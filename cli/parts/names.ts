import { platformControllers } from '../../controllers/platform/start.js';
import { selectControllers } from '../controller-selection.js';

/** Names of karmada-controller-manager's controllers. */
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
];

/** Valid names for `--controllers`. Kubernetes' controllers have the names of kube-controller-manager. */
const controllerNames: readonly string[] = [...karmadaControllerNames, ...platformControllers, 'scheduler'];

/**
 * Former names of Kubernetes' controllers, which kube-controller-manager still accepts. differs: `namespace` is not one of them, since Karmada has a
 * controller with this name, and here both are in one list.
 */
const aliases: Readonly<Record<string, (typeof platformControllers)[number]>> = {
  garbagecollector: 'garbage-collector-controller',
  'clusterrole-aggregation': 'clusterrole-aggregation-controller',
  'ttl-after-finished': 'ttl-after-finished-controller',
  'serviceaccount-token': 'serviceaccount-token-controller',
};

export type Enabled = (controller: string) => boolean;

export const parseControllers = (list: readonly string[]): Enabled =>
  selectControllers(list.map(withoutAlias), controllerNames);

/** Replaces a former name in an entry of `--controllers`. */
function withoutAlias(entry: string): string {
  const name = entry.replace(/^-/, '');
  return Object.hasOwn(aliases, name) ? entry.slice(0, entry.length - name.length) + aliases[name] : entry;
}
