/** Creates webhook configurations. */
import type { Answer } from '../apiserver/http-client.js';
import { type Stage, must } from './agnhost.js';

export const registration = '/apis/admissionregistration.k8s.io/v1';

export const rule = (group: string, resource: string, operations: string[], version = 'v1') => ({
  apiGroups: [group],
  apiVersions: [version],
  resources: [resource],
  operations,
});

export function hook({ webhook }: Stage, path: string, rules: object[], more: object = {}): object {
  const service = { namespace: 'default', name: 'e2e-test-webhook', path, port: webhook.port };
  return {
    name: `${path.replace(/\W+/g, '-').replace(/^-/, '')}.k8s.io`,
    rules,
    clientConfig: { service, caBundle: webhook.caBundle },
    sideEffects: 'None',
    admissionReviewVersions: ['v1', 'v1beta1'],
    ...more,
  };
}

export function configure(
  { ask }: Stage,
  kind: 'validating' | 'mutating',
  name: string,
  webhooks: object[],
  labels = {},
): Promise<Answer> {
  const type = `${kind === 'validating' ? 'Validating' : 'Mutating'}WebhookConfiguration`;
  return must(
    ask(`POST ${registration}/${kind}webhookconfigurations`, {
      body: { apiVersion: 'admissionregistration.k8s.io/v1', kind: type, metadata: { name, labels }, webhooks },
    }),
  );
}
