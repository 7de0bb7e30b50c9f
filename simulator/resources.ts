import type { GroupVersionResource } from '../openapi/interface.js';

const core = (resource: string): GroupVersionResource => ({ group: '', version: 'v1', resource });
const apps = (resource: string): GroupVersionResource => ({ group: 'apps', version: 'v1', resource });

/** What the simulated controllers look after. */
export const nodes = core('nodes');
export const pods = core('pods');
export const services = core('services');
export const endpoints = core('endpoints');
export const namespaces = core('namespaces');
export const serviceAccounts = core('serviceaccounts');
export const replicationControllers = core('replicationcontrollers');
export const configMaps = core('configmaps');
export const endpointSlices: GroupVersionResource = {
  group: 'discovery.k8s.io',
  version: 'v1',
  resource: 'endpointslices',
};
export const deployments = apps('deployments');
export const replicaSets = apps('replicasets');
export const statefulSets = apps('statefulsets');
export const daemonSets = apps('daemonsets');
export const jobs: GroupVersionResource = { group: 'batch', version: 'v1', resource: 'jobs' };
export const cronJobs: GroupVersionResource = { group: 'batch', version: 'v1', resource: 'cronjobs' };
export const podDisruptionBudgets: GroupVersionResource = {
  group: 'policy',
  version: 'v1',
  resource: 'poddisruptionbudgets',
};
