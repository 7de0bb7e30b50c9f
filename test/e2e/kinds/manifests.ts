/** Parts of manifests that many tests use. */

export const containers = [{ name: 'c', image: 'i' }];
export const template = { metadata: { labels: { a: 'b' } }, spec: { containers } };
export const selector = { matchLabels: { a: 'b' } };
/** The template of a Job. */
export const once = { spec: { restartPolicy: 'Never', containers } };
/** The job template of a CronJob. */
export const jobTemplate = { spec: { template: once } };
/** The target of an autoscaler. */
export const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' };
/** The backend of a path of an Ingress. */
export const backend = { service: { name: 's', port: { number: 1 } } };
/** Resource rules of admission policies. */
export const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }];
/** The spec of an APIService of an extension API server. */
export const servedElsewhere = {
  ...{ group: 'a.b', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1, insecureSkipTLSVerify: true },
  service: { name: 's', namespace: 'n' },
};
