/** Admission policies and webhooks: defaults. */
import { resourceRules } from '../manifests.js';
import { testDefaults } from './defaults.js';

const constraints = { namespaceSelector: {}, objectSelector: {}, matchPolicy: 'Equivalent' };
const filledRules = resourceRules.map(rule => ({ ...rule, scope: '*' }));
const webhook = {
  name: 'a.b.c',
  clientConfig: { service: { name: 's', namespace: 'n' } },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: resourceRules,
};
const filledWebhook = {
  ...webhook,
  ...constraints,
  clientConfig: { service: { namespace: 'n', name: 's', port: 443 } },
  rules: filledRules,
  failurePolicy: 'Fail',
  timeoutSeconds: 10,
};

testDefaults('validatingadmissionpolicies', [
  {
    name: 'a policy',
    given: { spec: { matchConstraints: { resourceRules }, validations: [{ expression: 'true' }] } },
    expect: {
      metadata: { generation: 1 },
      spec: {
        matchConstraints: { ...constraints, resourceRules: filledRules },
        validations: [{ expression: 'true' }],
        failurePolicy: 'Fail',
      },
      status: {},
    },
  },
]);

testDefaults('validatingadmissionpolicybindings', [
  {
    name: 'a binding',
    given: { spec: { policyName: 'p', validationActions: ['Deny'], matchResources: {} } },
    expect: {
      metadata: { generation: 1 },
      spec: { policyName: 'p', matchResources: constraints, validationActions: ['Deny'] },
    },
  },
]);

testDefaults('validatingwebhookconfigurations', [
  {
    name: 'a validating webhook',
    given: { webhooks: [webhook] },
    expect: { metadata: { generation: 1 }, webhooks: [filledWebhook] },
  },
]);

testDefaults('mutatingwebhookconfigurations', [
  {
    name: 'a mutating webhook',
    given: { webhooks: [webhook] },
    expect: { metadata: { generation: 1 }, webhooks: [{ ...filledWebhook, reinvocationPolicy: 'Never' }] },
  },
]);
