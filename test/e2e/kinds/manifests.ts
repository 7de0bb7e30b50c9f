/** What stands in many manifests. */

export const containers = [{ name: 'c', image: 'i' }];
export const template = { metadata: { labels: { a: 'b' } }, spec: { containers } };
export const selector = { matchLabels: { a: 'b' } };
/** The template of a Job. */
export const once = { spec: { restartPolicy: 'Never', containers } };
/** Of a CronJob. */
export const jobTemplate = { spec: { template: once } };
/** What is scaled. */
export const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' };
/** Of a path of an Ingress. */
export const backend = { service: { name: 's', port: { number: 1 } } };
/** What admission looks at. */
export const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }];
/** Of an APIService that others serve. */
export const servedElsewhere = {
  ...{ group: 'a.b', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1, insecureSkipTLSVerify: true },
  service: { name: 's', namespace: 'n' },
};
