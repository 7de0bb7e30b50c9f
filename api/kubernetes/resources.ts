/** Resources of Kubernetes' kinds. Karmada's are `resources` in `karmada/well-known.ts`. */
import type { GroupVersionResource } from '../../apimachinery/interface.js';

const of =
  (group: string) =>
  (resource: string): GroupVersionResource => ({ group, version: 'v1', resource });
const [core, apps, batch] = [of(''), of('apps'), of('batch')];

export const configMaps = core('configmaps');
export const endpoints = core('endpoints');
export const events = core('events');
export const namespaces = core('namespaces');
export const nodes = core('nodes');
export const persistentVolumeClaims = core('persistentvolumeclaims');
export const persistentVolumes = core('persistentvolumes');
export const pods = core('pods');
export const resourceQuotas = core('resourcequotas');
export const replicationControllers = core('replicationcontrollers');
export const secrets = core('secrets');
export const serviceAccounts = core('serviceaccounts');
export const services = core('services');
export const daemonSets = apps('daemonsets');
export const deployments = apps('deployments');
export const replicaSets = apps('replicasets');
export const statefulSets = apps('statefulsets');
export const cronJobs = batch('cronjobs');
export const jobs = batch('jobs');
export const certificateSigningRequests = of('certificates.k8s.io')('certificatesigningrequests');
export const customResourceDefinitions = of('apiextensions.k8s.io')('customresourcedefinitions');
export const endpointSlices = of('discovery.k8s.io')('endpointslices');
export const leases = of('coordination.k8s.io')('leases');
export const podDisruptionBudgets = of('policy')('poddisruptionbudgets');
export const priorityClasses = of('scheduling.k8s.io')('priorityclasses');
export const storageClasses = of('storage.k8s.io')('storageclasses');
export const subjectAccessReviews = of('authorization.k8s.io')('subjectaccessreviews');
