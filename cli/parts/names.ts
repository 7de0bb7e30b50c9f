import { platformControllers } from '../../controllers/platform/start.js';
import { selectControllers } from '../controller-selection.js';

/** What `--controllers` can name. Karmada's by the names of karmada-controller-manager, Kubernetes' by those of kube-controller-manager. */
export const controllerNames: readonly string[] = [
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
  ...platformControllers,
  'scheduler',
];

export type Enabled = (controller: string) => boolean;

export const parseControllers = (list: readonly string[]): Enabled => selectControllers(list, controllerNames);
