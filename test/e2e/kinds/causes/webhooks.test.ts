/** Configurations of admission webhooks: validation errors and warnings. */
import { texts } from '../../../kinds/kubernetes/fault-table.js';
import { resourceRules } from '../manifests.js';
import { causes } from './causes.js';

const webhook = (more: object = {}) => ({
  name: 'a.b.c',
  clientConfig: { url: 'https://a/b' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: resourceRules,
  ...more,
});

causes('validatingwebhookconfigurations', [
  {
    name: 'webhook: an invalid name',
    given: { webhooks: [webhook({ name: 'a.b' })] },
    expect: [
      'webhooks[0].name: Invalid value: "a.b": should be a domain with at least three segments separated by dots',
    ],
  },
  {
    name: 'webhook: no client',
    given: { webhooks: [webhook({ clientConfig: {} })] },
    expect: ['webhooks[0].clientConfig: Required value: exactly one of url or service is required'],
  },
  {
    name: 'webhook: two clients',
    given: { webhooks: [webhook({ clientConfig: { url: 'https://a/b', service: { name: 's', namespace: 'n' } } })] },
    expect: ['webhooks[0].clientConfig: Required value: exactly one of url or service is required'],
  },
  {
    name: 'webhook: an invalid URL',
    given: { webhooks: [webhook({ clientConfig: { url: 'http://u@a:1/b?c#d' } })] },
    expect: [
      'webhooks[0].clientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
      'webhooks[0].clientConfig.url: Invalid value: "u": user information is not permitted in the URL',
      'webhooks[0].clientConfig.url: Invalid value: "d": fragments are not permitted in the URL',
      'webhooks[0].clientConfig.url: Invalid value: "c": query parameters are not permitted in the URL',
    ],
  },
  {
    name: 'webhook: an invalid service',
    given: {
      webhooks: [webhook({ clientConfig: { service: { name: '', namespace: '', path: 'a//b', port: 70000 } } })],
    },
    expect: [
      'webhooks[0].clientConfig.service.name: Required value',
      'webhooks[0].clientConfig.service.namespace: Required value',
      'webhooks[0].clientConfig.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive',
      'webhooks[0].clientConfig.service.path: Invalid value: "a//b": must start with a \'/\'',
      'webhooks[0].clientConfig.service.path: Invalid value: "a//b": segment[0] may not be empty',
      'webhooks[0].clientConfig.service.path: Invalid value: "a//b": segment[1] may not be empty',
    ],
  },
  {
    name: 'webhook: versions',
    given: { webhooks: [webhook({ admissionReviewVersions: ['v2', 'A_', 'v2'] })] },
    expect: [
      "webhooks[0].admissionReviewVersions[1]: Invalid value: \"A_\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      'webhooks[0].admissionReviewVersions[2]: Invalid value: "v2": duplicate version',
      'webhooks[0].admissionReviewVersions: Invalid value: ["v2","A_","v2"]: must include at least one of v1, v1beta1',
    ],
  },
  {
    name: 'webhook: no versions',
    given: { webhooks: [webhook({ admissionReviewVersions: [] })] },
    expect: ['webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1'],
  },
  {
    name: 'webhook: unknown enum values',
    given: { webhooks: [webhook({ sideEffects: 'Some', failurePolicy: 'X', matchPolicy: 'Y', timeoutSeconds: 31 })] },
    expect: [
      'webhooks[0].failurePolicy: Unsupported value: "X": supported values: "Fail", "Ignore"',
      'webhooks[0].matchPolicy: Unsupported value: "Y": supported values: "Equivalent", "Exact"',
      'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
      'webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
    ],
  },
  {
    name: 'webhook: rules',
    given: {
      webhooks: [
        webhook({
          rules: [
            {
              apiGroups: ['*', 'a'],
              apiVersions: ['', '*'],
              operations: ['*', 'X'],
              resources: ['*/*', 'pods', 'a/b/c'],
              scope: 'Z',
            },
            {},
          ],
        }),
      ],
    },
    expect: [
      'webhooks[0].rules[0].operations: Invalid value: ["*","X"]: if \'*\' is present, must not specify other operations',
      'webhooks[0].rules[0].operations[1]: Unsupported value: "X": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
      'webhooks[0].rules[0].apiGroups: Invalid value: ["*","a"]: if \'*\' is present, must not specify other API groups',
      'webhooks[0].rules[0].apiVersions: Invalid value: ["","*"]: if \'*\' is present, must not specify other API versions',
      'webhooks[0].rules[0].apiVersions[0]: Required value',
      'webhooks[0].rules[0].resources: Invalid value: ["*/*","pods","a/b/c"]: if \'*/*\' is present, must not specify other resources',
      'webhooks[0].rules[0].scope: Unsupported value: "Z": supported values: "*", "Cluster", "Namespaced"',
      'webhooks[0].rules[1].operations: Required value',
      'webhooks[0].rules[1].apiGroups: Required value',
      'webhooks[0].rules[1].apiVersions: Required value',
      'webhooks[0].rules[1].resources: Required value',
    ],
  },
  {
    name: 'webhook: selectors',
    given: {
      webhooks: [
        webhook({
          namespaceSelector: { matchLabels: { 'a b': 'c' } },
          objectSelector: { matchExpressions: [{ key: 'a', operator: 'X' }] },
        }),
      ],
    },
    expect: [
      `webhooks[0].namespaceSelector.matchLabels: Invalid value: "a b": ${texts.namePart}`,
      'webhooks[0].objectSelector.matchExpressions[0].operator: Invalid value: "X": not a valid selector operator',
    ],
  },
  {
    name: 'webhook: conditions',
    given: {
      webhooks: [
        webhook({
          matchConditions: [
            { name: '', expression: '' },
            { name: 'a b', expression: 'x' },
            { name: 'c', expression: '1' },
            { name: 'c', expression: 'true' },
          ],
        }),
      ],
    },
    expect: [
      'webhooks[0].matchConditions[0].expression: Required value',
      'webhooks[0].matchConditions[0].name: Required value',
      "webhooks[0].matchConditions[1].expression: Invalid value: \"x\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x\n | ^",
      `webhooks[0].matchConditions[1].name: Invalid value: "a b": ${texts.namePart}`,
      'webhooks[0].matchConditions[2].expression: Invalid value: "1": must evaluate to bool but got int',
      'webhooks[0].matchConditions[3].name: Duplicate value: "c"',
    ],
  },
  {
    name: 'webhook: a duplicate name',
    given: { webhooks: [webhook(), webhook()] },
    expect: ['webhooks[1].name: Duplicate value: "a.b.c"'],
  },
]);

causes('mutatingwebhookconfigurations', [
  {
    name: 'mutating webhook: an unknown reinvocation policy',
    given: { webhooks: [webhook({ reinvocationPolicy: 'X' })] },
    expect: ['webhooks[0].reinvocationPolicy: Unsupported value: "X": supported values: "IfNeeded", "Never"'],
  },
]);
