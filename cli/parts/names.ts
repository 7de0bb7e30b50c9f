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

export type Enabled = (controller: string) => boolean;

export const parseControllers = (list: readonly string[]): Enabled => selectControllers(list, controllerNames);
