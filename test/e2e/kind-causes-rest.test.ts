/** What all else is refused for, whole. */
import t from 'tap';
import { texts } from '../registry/kinds/fault-table.js';
import { type CauseCase, causesTable } from './kind-causes.js';
import { core } from './kind-scene.js';

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };

const cases: readonly CauseCase[] = [
  {
    name: 'a rule that says nothing',
    path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    kind: 'ClusterRole',
    given: {
      rules: [
        { verbs: [] },
        { verbs: ['get'], apiGroups: [''], resources: [] },
        { verbs: ['get'], nonResourceURLs: ['/a'], apiGroups: [''], resources: ['b'] },
      ],
    },
    expect: [
      'rules[0].verbs: Required value: verbs must contain at least one value',
      'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
      'rules[0].resources: Required value: resource rules must supply at least one resource',
      'rules[1].resources: Required value: resource rules must supply at least one resource',
      'rules[2].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
  },
  {
    name: 'a role knows no URLs',
    path: '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles',
    kind: 'Role',
    given: { rules: [{ verbs: ['get'], nonResourceURLs: ['/a'] }] },
    expect: ['rules[0].nonResourceURLs: Invalid value: ["/a"]: namespaced rules cannot apply to non-resource URLs'],
  },
  {
    name: 'an aggregation of nothing',
    path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    kind: 'ClusterRole',
    given: { aggregationRule: { clusterRoleSelectors: [] }, rules: [] },
    expect: [
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ],
  },
  {
    name: 'an aggregation by bad labels',
    path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    kind: 'ClusterRole',
    given: { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'a b': 'c' } }] } },
    expect: [
      `aggregationRule.clusterRoleSelectors[0].matchLabels: Invalid value: "a b": ${texts.namePart}`,
      'aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.',
    ],
  },
  {
    name: 'subjects',
    path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    kind: 'ClusterRoleBinding',
    given: {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'x' },
      subjects: [
        { kind: 'User', name: '' },
        { kind: 'ServiceAccount', name: 'A_' },
        { kind: 'X', name: 'y' },
        { kind: 'Group', apiGroup: 'a', name: 'g' },
        { kind: 'ServiceAccount', apiGroup: 'z', name: 's', namespace: 'n' },
      ],
    },
    expect: [
      'subjects[0].name: Required value',
      `subjects[1].name: Invalid value: "A_": ${texts.dns1123Subdomain}`,
      'subjects[1].namespace: Required value',
      'subjects[2].kind: Unsupported value: "X": supported values: "ServiceAccount", "User", "Group"',
      'subjects[3].apiGroup: Unsupported value: "a": supported values: "rbac.authorization.k8s.io"',
      'subjects[4].apiGroup: Unsupported value: "z": supported values: ""',
    ],
  },
  {
    name: 'a role of another kind',
    path: '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings',
    kind: 'RoleBinding',
    given: { roleRef: { apiGroup: 'x', kind: 'Y', name: '' } },
    expect: [
      'roleRef.apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io"',
      'roleRef.kind: Unsupported value: "Y": supported values: "Role", "ClusterRole"',
      'roleRef.name: Required value',
    ],
  },
  {
    name: 'another role',
    path: '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings',
    kind: 'RoleBinding',
    given: { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' } },
    patch: { roleRef: { name: 'edit' } },
    expect: [
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"edit"}: cannot change roleRef',
    ],
  },
  {
    name: 'webhook: its name',
    path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    given: {
      webhooks: [
        {
          name: 'a.b',
          clientConfig: { url: 'https://a/b' },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
        },
      ],
    },
    expect: [
      'webhooks[0].name: Invalid value: "a.b": should be a domain with at least three segments separated by dots',
    ],
  },
  {
    name: 'webhook: no client',
    path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    given: {
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: {},
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
        },
      ],
    },
    expect: ['webhooks[0].clientConfig: Required value: exactly one of url or service is required'],
  },
  {
    name: 'webhook: two clients',
    path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    given: {
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { url: 'https://a/b', service: { name: 's', namespace: 'n' } },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
        },
      ],
    },
    expect: ['webhooks[0].clientConfig: Required value: exactly one of url or service is required'],
  },
  {
    name: 'webhook: a URL',
    path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    given: {
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { url: 'http://u@a:1/b?c#d' },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
        },
      ],
    },
    expect: [
      'webhooks[0].clientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
      'webhooks[0].clientConfig.url: Invalid value: "u": user information is not permitted in the URL',
      'webhooks[0].clientConfig.url: Invalid value: "d": fragments are not permitted in the URL',
      'webhooks[0].clientConfig.url: Invalid value: "c": query parameters are not permitted in the URL',
    ],
  },
  {
    name: 'webhook: a service',
    path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    given: {
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { service: { name: '', namespace: '', path: 'a//b', port: 70000 } },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
        },
      ],
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
    path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    given: {
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { url: 'https://a/b' },
          sideEffects: 'None',
          admissionReviewVersions: ['v2', 'A_', 'v2'],
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
        },
      ],
    },
    expect: [
      "webhooks[0].admissionReviewVersions[1]: Invalid value: \"A_\": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      'webhooks[0].admissionReviewVersions[2]: Invalid value: "v2": duplicate version',
      'webhooks[0].admissionReviewVersions: Invalid value: ["v2","A_","v2"]: must include at least one of v1, v1beta1',
    ],
  },
  {
    name: 'webhook: no versions',
    path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    given: {
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { url: 'https://a/b' },
          sideEffects: 'None',
          admissionReviewVersions: [],
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
        },
      ],
    },
    expect: ['webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1'],
  },
  {
    name: 'webhook: words',
    path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    given: {
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { url: 'https://a/b' },
          sideEffects: 'Some',
          admissionReviewVersions: ['v1'],
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
          failurePolicy: 'X',
          matchPolicy: 'Y',
          timeoutSeconds: 31,
        },
      ],
    },
    expect: [
      'webhooks[0].failurePolicy: Unsupported value: "X": supported values: "Fail", "Ignore"',
      'webhooks[0].matchPolicy: Unsupported value: "Y": supported values: "Equivalent", "Exact"',
      'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
      'webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
    ],
  },
  {
    name: 'webhook: rules',
    path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    given: {
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { url: 'https://a/b' },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
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
        },
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
    path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    given: {
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { url: 'https://a/b' },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
          namespaceSelector: { matchLabels: { 'a b': 'c' } },
          objectSelector: { matchExpressions: [{ key: 'a', operator: 'X' }] },
        },
      ],
    },
    expect: [
      `webhooks[0].namespaceSelector.matchLabels: Invalid value: "a b": ${texts.namePart}`,
      'webhooks[0].objectSelector.matchExpressions[0].operator: Invalid value: "X": not a valid selector operator',
    ],
  },
  {
    name: 'webhook: conditions',
    path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    given: {
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { url: 'https://a/b' },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
          matchConditions: [
            { name: '', expression: '' },
            { name: 'a b', expression: 'x' },
            { name: 'c', expression: '1' },
            { name: 'c', expression: 'true' },
          ],
        },
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
    name: 'webhook: twice',
    path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
    given: {
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { url: 'https://a/b' },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
        },
        {
          name: 'a.b.c',
          clientConfig: { url: 'https://a/b' },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
        },
      ],
    },
    expect: ['webhooks[1].name: Duplicate value: "a.b.c"'],
  },
  {
    name: 'webhook that changes: when again',
    path: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
    kind: 'MutatingWebhookConfiguration',
    given: {
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { url: 'https://a/b' },
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
          reinvocationPolicy: 'X',
        },
      ],
    },
    expect: ['webhooks[0].reinvocationPolicy: Unsupported value: "X": supported values: "IfNeeded", "Never"'],
  },
  {
    name: 'policy: nothing',
    path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    kind: 'ValidatingAdmissionPolicy',
    given: { spec: {} },
    expect: [
      'spec.matchConstraints: Required value',
      'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
      'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
    ],
  },
  {
    name: 'policy: expressions',
    path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    kind: 'ValidatingAdmissionPolicy',
    given: {
      metadata: { name: 'expressions' },
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
        },
        validations: [
          { expression: '' },
          { expression: '1' },
          { expression: 'x' },
          { expression: 'true', message: ' ', messageExpression: '1', reason: 'X' },
        ],
        variables: [
          { name: 'a-b', expression: '1' },
          { name: 'v', expression: '' },
        ],
        auditAnnotations: [
          { key: 'a b', valueExpression: '1' },
          { key: 'k', valueExpression: "''" },
          { key: 'k', valueExpression: "''" },
        ],
      },
    },
    expect: [
      'spec.variables[0].name: Invalid value: "a-b": must be a valid CEL identifier',
      'spec.variables[1].expression: Required value: expression is not specified',
      'spec.validations[0].expression: Required value: expression is not specified',
      'spec.validations[1].expression: Invalid value: "1": must evaluate to bool but got int',
      "spec.validations[2].expression: Invalid value: \"x\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x\n | ^",
      'spec.validations[3].messageExpression: Invalid value: "1": must evaluate to string but got int',
      'spec.validations[3].message: Invalid value: " ": must be non-empty if specified',
      'spec.validations[3].reason: Unsupported value: "X": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
      `spec.auditAnnotations[0].key: Invalid value: "expressions/a b": ${texts.namePart}`,
      'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
      'spec.auditAnnotations[2].key: Duplicate value: "k"',
    ],
  },
  {
    name: 'policy: parameters',
    path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    kind: 'ValidatingAdmissionPolicy',
    given: {
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
        },
        validations: [{ expression: 'true' }],
        paramKind: { apiVersion: 'a/b/c', kind: 'A_' },
      },
    },
    expect: [
      'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      "spec.paramKind.kind: Invalid value: \"A_\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  },
  {
    name: 'policy: words of a policy',
    path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    kind: 'ValidatingAdmissionPolicy',
    given: {
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }],
        },
        validations: [{ expression: 'true' }],
        failurePolicy: 'X',
      },
    },
    expect: ['spec.failurePolicy: Unsupported value: "X": supported values: "Fail", "Ignore"'],
  },
  {
    name: 'policy: constraints',
    path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    kind: 'ValidatingAdmissionPolicy',
    given: {
      spec: {
        matchConstraints: {
          matchPolicy: 'X',
          resourceRules: [
            { apiGroups: [], apiVersions: [], operations: [], resources: [], resourceNames: ['a/b', 'a', 'a'] },
          ],
        },
        validations: [{ expression: 'true' }],
      },
    },
    expect: [
      'spec.matchConstraints.matchPolicy: Unsupported value: "X": supported values: "Equivalent", "Exact"',
      'spec.matchConstraints.resourceRules[0].resourceNames[0]: Invalid value: "a/b": may not contain \'/\'',
      'spec.matchConstraints.resourceRules[0].resourceNames[2]: Duplicate value: "a"',
      'spec.matchConstraints.resourceRules[0].operations: Required value',
      'spec.matchConstraints.resourceRules[0].apiGroups: Required value',
      'spec.matchConstraints.resourceRules[0].apiVersions: Required value',
      'spec.matchConstraints.resourceRules[0].resources: Required value',
    ],
  },
  {
    name: 'binding: nothing',
    path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
    kind: 'ValidatingAdmissionPolicyBinding',
    given: { spec: {} },
    expect: [
      'spec.policyName: Required value',
      'spec.validationActions: Required value: at least one validation action is required',
    ],
  },
  {
    name: 'binding: actions',
    path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
    kind: 'ValidatingAdmissionPolicyBinding',
    given: { spec: { policyName: 'A_', validationActions: ['Deny', 'Warn', 'X', 'Deny'] } },
    expect: [
      `spec.policyName: Invalid value: "A_": ${texts.dns1123Subdomain}`,
      'spec.validationActions[2]: Unsupported value: "X": supported values: "Audit", "Deny", "Warn"',
      'spec.validationActions[3]: Duplicate value: "Deny"',
      'spec.validationActions: Invalid value: ["Deny","Warn","X","Deny"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    ],
  },
  {
    name: 'binding: parameters',
    path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
    kind: 'ValidatingAdmissionPolicyBinding',
    given: {
      spec: {
        policyName: 'p',
        validationActions: ['Audit'],
        paramRef: { name: 'a/b', selector: {}, parameterNotFoundAction: 'X' },
      },
    },
    expect: [
      'spec.paramRef.name: Invalid value: "a/b": may not contain \'/\'',
      'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
      'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
      'spec.paramRef.parameterNotFoundAction: Unsupported value: "X": supported values: "Deny", "Allow"',
    ],
  },
  {
    name: 'binding: no parameters',
    path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
    kind: 'ValidatingAdmissionPolicyBinding',
    given: { spec: { policyName: 'p', validationActions: ['Audit'], paramRef: {} } },
    expect: [
      'spec.paramRef: Required value: one of name or selector must be specified',
      'spec.paramRef.parameterNotFoundAction: Required value',
    ],
  },
  {
    name: 'API: its name',
    path: '/apis/apiregistration.k8s.io/v1/apiservices',
    kind: 'APIService',
    given: {
      metadata: { name: 'v1.x' },
      spec: {
        group: 'a.b',
        version: 'v1',
        service: { name: 's', namespace: 'n' },
        groupPriorityMinimum: 1,
        versionPriority: 1,
        insecureSkipTLSVerify: true,
      },
    },
    expect: ['metadata.name: Invalid value: "v1.x": must be `spec.version+"."+spec.group`: "v1.a.b"'],
  },
  {
    name: 'API: numbers',
    path: '/apis/apiregistration.k8s.io/v1/apiservices',
    kind: 'APIService',
    given: {
      metadata: { name: 'v1.a.b' },
      spec: {
        group: 'a.b',
        version: 'v1',
        service: { name: '', namespace: '', port: 0 },
        groupPriorityMinimum: 20001,
        versionPriority: 1001,
        insecureSkipTLSVerify: true,
        caBundle: 'eA==',
      },
    },
    expect: [
      'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
      'spec.versionPriority: Invalid value: 1001: must be positive and less than 1000',
      'spec.service.namespace: Required value',
      'spec.service.name: Required value',
      'spec.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
      'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
    ],
  },
  {
    name: 'API: local ones have no bundle',
    path: '/apis/apiregistration.k8s.io/v1/apiservices',
    kind: 'APIService',
    given: {
      metadata: { name: 'v1.a.b' },
      spec: { group: 'a.b', version: 'v1', groupPriorityMinimum: 0, versionPriority: 0, insecureSkipTLSVerify: true },
    },
    expect: [
      'spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000',
      'spec.versionPriority: Invalid value: 0: must be positive and less than 1000',
      'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
    ],
  },
  {
    name: 'driver: words',
    path: '/apis/storage.k8s.io/v1/csidrivers',
    kind: 'CSIDriver',
    given: {
      metadata: { name: 'A' },
      spec: {
        fsGroupPolicy: 'X',
        volumeLifecycleModes: ['Y', 'Persistent', 'Persistent'],
        tokenRequests: [{ audience: 'a' }, { audience: 'a' }, { audience: 'b', expirationSeconds: 5 }],
        nodeAllocatableUpdatePeriodSeconds: 9,
      },
    },
    expect: [
      `metadata.name: Invalid value: "A": ${texts.dns1123Subdomain}`,
      'spec.fsGroupPolicy: Unsupported value: "X": supported values: "File", "None", "ReadWriteOnceWithFSType"',
      'spec.tokenRequests[1].audience: Duplicate value: "a"',
      'spec.tokenRequests[2].expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes',
      'spec.volumeLifecycleModes: Unsupported value: "Y": supported values: "Persistent", "Ephemeral"',
      'spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than or equal to 10 seconds',
    ],
  },
  {
    name: 'driver: what stays',
    path: '/apis/storage.k8s.io/v1/csidrivers',
    kind: 'CSIDriver',
    given: { spec: {} },
    patch: {
      spec: {
        attachRequired: false,
        podInfoOnMount: true,
        fsGroupPolicy: 'File',
        volumeLifecycleModes: ['Ephemeral'],
        storageCapacity: true,
        requiresRepublish: true,
        seLinuxMount: true,
      },
    },
    expect: [
      'spec.attachedRequired: Invalid value: false: field is immutable',
      'spec.volumeLifecycleModes: Invalid value: ["Ephemeral"]: field is immutable',
    ],
  },
  {
    name: 'drivers of a node',
    path: '/apis/storage.k8s.io/v1/csinodes',
    kind: 'CSINode',
    given: {
      spec: {
        drivers: [
          { name: '', nodeID: '' },
          { name: 'a', nodeID: 'n', allocatable: { count: -1 }, topologyKeys: ['', 'k', 'k', 'a b'] },
          {
            name: 'a',
            nodeID:
              'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn',
          },
        ],
      },
    },
    expect: [
      'spec.drivers[0].name: Required value',
      'spec.drivers[0].nodeID: Required value',
      `spec.drivers[1].allocatable.count: Invalid value: -1: ${texts.natural}`,
      'spec.drivers[1]: Required value',
      'spec.drivers[1]: Invalid value: "": name part must be non-empty',
      `spec.drivers[1]: Invalid value: "": ${texts.namePart}`,
      'spec.drivers[1]: Duplicate value: "k"',
      `spec.drivers[1]: Invalid value: "a b": ${texts.namePart}`,
      'spec.drivers[2].name: Duplicate value: "a"',
    ],
  },
  {
    name: 'drivers of a node: what stays',
    path: '/apis/storage.k8s.io/v1/csinodes',
    kind: 'CSINode',
    given: { spec: { drivers: [{ name: 'a', nodeID: 'n' }] } },
    patch: { spec: { drivers: [{ name: 'a', nodeID: 'm' }] } },
    expect: [
      'spec.drivers: Invalid value: {"Name":"a","NodeID":"m","TopologyKeys":null,"Allocatable":null}: field is immutable',
    ],
  },
  {
    name: 'attachment',
    path: '/apis/storage.k8s.io/v1/volumeattachments',
    kind: 'VolumeAttachment',
    given: { spec: { attacher: 'A_', nodeName: 'A_', source: {} } },
    expect: [
      `spec.attacher: Invalid value: "A_": ${texts.dns1123Subdomain}`,
      'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
      `spec.nodeName: Invalid value: "A_": ${texts.dns1123Subdomain}`,
    ],
  },
  {
    name: 'attachment: two sources',
    path: '/apis/storage.k8s.io/v1/volumeattachments',
    kind: 'VolumeAttachment',
    given: {
      spec: {
        attacher: '',
        nodeName: '',
        source: { persistentVolumeName: '', inlineVolumeSpec: { capacity: { storage: '1' } } },
      },
    },
    expect: [
      'spec.attacher: Required value',
      'spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
      `spec.nodeName: Invalid value: "": ${texts.dns1123Subdomain}`,
      `spec.source.persistentVolumeName: Invalid value: "": ${texts.dns1123Subdomain}`,
    ],
  },
  {
    name: 'attachment: what stays',
    path: '/apis/storage.k8s.io/v1/volumeattachments',
    kind: 'VolumeAttachment',
    given: { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'p' } } },
    patch: { spec: { nodeName: 'm' } },
    expect: [
      'spec: Invalid value: {"Attacher":"a","Source":{"PersistentVolumeName":"p","InlineVolumeSpec":null},"NodeName":"m"}: field is immutable',
    ],
  },
  {
    name: 'attachment: status',
    path: '/apis/storage.k8s.io/v1/volumeattachments',
    kind: 'VolumeAttachment',
    given: { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'p' } } },
    patch: {
      status: {
        attachmentMetadata: { a: 'x'.repeat(262_144) },
        attachError: { message: 'm'.repeat(262_145), errorCode: -1 },
      },
    },
    part: 'status',
    expect: [
      'status.attachmentMetadata: Too long: may not be more than 262144 bytes',
      'status.attachError.message: Too long: may not be more than 262144 bytes',
      'status.attachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive',
    ],
  },
  {
    name: 'attributes',
    path: '/apis/storage.k8s.io/v1/volumeattributesclasses',
    kind: 'VolumeAttributesClass',
    given: { driverName: 'A_', parameters: { '': 'x' } },
    expect: [
      `driverName: Invalid value: "a_": ${texts.namePart}`,
      'parameters: Invalid value: "": field can not be empty.',
    ],
  },
  {
    name: 'attributes: none',
    path: '/apis/storage.k8s.io/v1/volumeattributesclasses',
    kind: 'VolumeAttributesClass',
    given: { driverName: '' },
    expect: ['driverName: Required value', 'parameters: Required value: must contain at least one key/value pair'],
  },
  {
    name: 'attributes: what stays',
    path: '/apis/storage.k8s.io/v1/volumeattributesclasses',
    kind: 'VolumeAttributesClass',
    given: { driverName: 'a', parameters: { a: 'b' } },
    patch: { driverName: 'b', parameters: { a: 'c' } },
    expect: [
      'driverName: Forbidden: updates to driverName are forbidden.',
      'parameters: Forbidden: updates to parameters are forbidden.',
    ],
  },
  {
    name: 'capacity',
    path: '/apis/storage.k8s.io/v1/namespaces/default/csistoragecapacities',
    kind: 'CSIStorageCapacity',
    given: {
      storageClassName: 'A_',
      capacity: '-1',
      maximumVolumeSize: '-1',
      nodeTopology: { matchLabels: { 'a b': 'c' } },
    },
    expect: [
      `nodeTopology.matchLabels: Invalid value: "a b": ${texts.namePart}`,
      `storageClassName: Invalid value: "A_": ${texts.dns1123Subdomain}`,
      `capacity: Invalid value: "-1": ${texts.natural}`,
    ],
  },
  {
    name: 'capacity: what stays',
    path: '/apis/storage.k8s.io/v1/namespaces/default/csistoragecapacities',
    kind: 'CSIStorageCapacity',
    given: { storageClassName: 'a' },
    patch: { storageClassName: 'b', nodeTopology: {} },
    expect: [
      'nodeTopology: Invalid value: {}: field is immutable',
      'storageClassName: Invalid value: "b": field is immutable',
    ],
  },
  {
    name: 'runtime',
    path: '/apis/node.k8s.io/v1/runtimeclasses',
    kind: 'RuntimeClass',
    given: {
      handler: 'A_',
      overhead: { podFixed: { cpu: '-1', 'a b': '1' } },
      scheduling: {
        nodeSelector: { 'a b': '-' },
        tolerations: [
          { key: 'a', operator: 'X' },
          { key: 'b', operator: 'Exists' },
          { key: 'b', operator: 'Exists' },
        ],
      },
    },
    expect: [
      `handler: Invalid value: "A_": ${texts.dns1123Label}`,
      `overhead.limits[a b]: Invalid value: "a b": ${texts.namePart}`,
      'overhead.limits[a b]: Invalid value: "a b": must be a standard resource for containers',
      `overhead.limits[cpu]: Invalid value: "-1": ${texts.natural}`,
      `scheduling.nodeSelector: Invalid value: "a b": ${texts.namePart}`,
      `scheduling.nodeSelector: Invalid value: "-": ${texts.labelValue}`,
      'scheduling.tolerations[0].operator: Unsupported value: "X": supported values: "Equal", "Exists"',
      'scheduling.tolerations[2]: Duplicate value: {"Key":"b","Operator":"Exists","Value":"","Effect":"","TolerationSeconds":null}',
    ],
  },
  {
    name: 'runtime: what stays',
    path: '/apis/node.k8s.io/v1/runtimeclasses',
    kind: 'RuntimeClass',
    given: { handler: 'a' },
    patch: { handler: 'b' },
    expect: ['handler: Invalid value: "b": field is immutable'],
  },
  {
    name: 'claim of devices: nothing',
    path: '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims',
    kind: 'ResourceClaim',
    given: {
      spec: {
        devices: {
          requests: [
            { name: '' },
            { name: 'a' },
            {
              name: 'a',
              exactly: {
                deviceClassName: 'A_',
                allocationMode: 'X',
                count: -1,
                selectors: [{}, { cel: { expression: 'x' } }],
                tolerations: [{ operator: 'X' }],
              },
            },
            { name: 'b', exactly: { deviceClassName: 'c' }, firstAvailable: [{ name: 'd', deviceClassName: 'c' }] },
          ],
          constraints: [{ requests: ['x'], matchAttribute: 'a' }, {}],
          config: [{ requests: ['x'] }, { opaque: { driver: 'A_', parameters: [] } }],
        },
      },
    },
    expect: [
      `spec.devices.requests[0].name: Invalid value: "": ${texts.dns1123Label}`,
      'spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required',
      'spec.devices.requests[1]: Required value: exactly one of `exactly` or `firstAvailable` is required',
      `spec.devices.requests[2].exactly.deviceClassName: Invalid value: "A_": ${texts.dns1123Subdomain}`,
      'spec.devices.requests[2].exactly.selectors[0].cel: Required value',
      "spec.devices.requests[2].exactly.selectors[1].cel.expression: Invalid value: \"x\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x\n | ^",
      'spec.devices.requests[2].exactly.allocationMode: Unsupported value: "X": supported values: "All", "ExactCount"',
      'spec.devices.requests[2].exactly.tolerations[0].operator: Unsupported value: "X": supported values: "Equal", "Exists"',
      'spec.devices.requests[3]: Invalid value: null: exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set',
      'spec.devices.requests[2]: Duplicate value: "a"',
      'spec.devices.constraints[0].requests[0]: Invalid value: "x": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
      'spec.devices.constraints[0].matchAttribute: Invalid value: "a": a fully qualified name must be a domain and a name separated by a slash',
      'spec.devices.constraints[1]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
      'spec.devices.config[0].requests[0]: Invalid value: "x": must be the name of a request in the claim or the name of a request and a subrequest separated by \'/\'',
      'spec.devices.config[0].opaque: Required value',
      `spec.devices.config[1].opaque.driver: Invalid value: "A_": ${texts.dns1123Subdomain}`,
      'spec.devices.config[1].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object',
    ],
  },
  {
    name: 'claim of devices: what stays',
    path: '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims',
    kind: 'ResourceClaim',
    given: { spec: { devices: { requests: [{ name: 'a', exactly: { deviceClassName: 'c' } }] } } },
    patch: { spec: { devices: { requests: [{ name: 'b', exactly: { deviceClassName: 'c' } }] } } },
    expect: [
      'spec: Invalid value: {"Devices":{"Requests":[{"Name":"b","Exactly":{"DeviceClassName":"c","Selectors":null,"AllocationMo…',
    ],
  },
  {
    name: 'class of devices',
    path: '/apis/resource.k8s.io/v1/deviceclasses',
    kind: 'DeviceClass',
    given: { spec: { selectors: [{}, { cel: { expression: '1' } }], config: [{}], extendedResourceName: 'a' } },
    expect: [
      'spec.selectors[0].cel: Required value',
      'spec.selectors[1].cel.expression: Invalid value: "1": must evaluate to bool or the unknown type, not int',
      'spec.config[0].opaque: Required value',
      'spec.extendedResourceName: Invalid value: "a": must be a valid extended resource name',
    ],
  },
  {
    name: 'slice of devices',
    path: '/apis/resource.k8s.io/v1/resourceslices',
    kind: 'ResourceSlice',
    given: {
      spec: {
        driver: '',
        pool: { name: '', generation: -1, resourceSliceCount: 0 },
        nodeName: 'A_',
        allNodes: true,
        devices: [
          { name: 'A' },
          {
            name: 'a',
            attributes: { 'a b': { int: 1, bool: true }, v: { version: 'x' } },
            capacity: { 'a b': { value: '1' } },
            taints: [{ key: 'a b', effect: 'X' }],
          },
          { name: 'a' },
        ],
      },
    },
    expect: [
      'spec.driver: Required value',
      'spec.pool.name: Required value',
      'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero',
      'spec.pool.generation: Invalid value: -1: must be greater than or equal to zero',
      `spec.nodeName: Invalid value: "A_": ${texts.dns1123Subdomain}`,
      'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set',
      `spec.devices[0].name: Invalid value: "A": ${texts.dns1123Label}`,
      "spec.devices[1].attributes: Invalid value: \"a b\": a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')",
      'spec.devices[1].attributes[a b]: Invalid value: {"IntValue":1,"BoolValue":true,"StringValue":null,"VersionValue":null,"IntValues":null,"BoolValues":null,"StringValues":null,"VersionValues":null}: exactly one value must be specified',
      'spec.devices[1].attributes[v].version: Invalid value: "x": must be a string compatible with semver.org spec 2.0.0',
      "spec.devices[1].capacity: Invalid value: \"a b\": a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')",
      `spec.devices[1].taints[0].key: Invalid value: "a b": ${texts.namePart}`,
      'spec.devices[1].taints[0].effect: Unsupported value: "X": supported values: "NoExecute", "NoSchedule", "None"',
      'spec.devices[2]: Duplicate value: "a"',
    ],
  },
  {
    name: 'slice of devices: of no node',
    path: '/apis/resource.k8s.io/v1/resourceslices',
    kind: 'ResourceSlice',
    given: { spec: { driver: 'a', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } } },
    expect: [
      'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
    ],
  },
  {
    name: 'flow',
    path: '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
    kind: 'FlowSchema',
    given: {
      spec: {
        priorityLevelConfiguration: { name: '' },
        matchingPrecedence: 10001,
        distinguisherMethod: { type: 'X' },
        rules: [
          {
            subjects: [],
            resourceRules: [{ verbs: ['get', '*'], apiGroups: [], resources: ['*', 'a'], namespaces: ['A_'] }],
            nonResourceRules: [{ verbs: ['x'], nonResourceURLs: ['a', '*', '/b/*/c'] }],
          },
          {
            subjects: [
              { kind: 'X' },
              { kind: 'User', group: { name: 'g' } },
              { kind: 'ServiceAccount', serviceAccount: { name: '', namespace: '' } },
            ],
          },
        ],
      },
    },
    expect: [
      'spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000',
      'spec.distinguisherMethod.type: Unsupported value: {"Type":"X"}: supported values: "ByNamespace", "ByUser"',
      'spec.priorityLevelConfiguration.name: Required value: must reference a priority level',
      'spec.rules[0].subjects: Required value: subjects must contain at least one value',
      'spec.rules[0].resourceRules[0].verbs: Invalid value: ["get","*"]: if \'*\' is present, must not specify other verbs',
      'spec.rules[0].resourceRules[0].apiGroups: Required value: resource rules must supply at least one api group',
      'spec.rules[0].resourceRules[0].resources: Invalid value: ["*","a"]: if \'*\' is present, must not specify other resources',
      `spec.rules[0].resourceRules[0].namespaces[0]: Invalid value: "A_": each member of this list must be '*' or a DNS-1123 label; ${texts.dns1123Label}`,
      'spec.rules[0].nonResourceRules[0].verbs: Unsupported value: ["x"]: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"',
      'spec.rules[0].nonResourceRules[0].nonResourceURLs: Invalid value: ["a","*","/b/*/c"]: if \'*\' is present, must not specify other non-resource URLs',
      'spec.rules[1].subjects[0].kind: Unsupported value: "X": supported values: "Group", "ServiceAccount", "User"',
      "spec.rules[1].subjects[1].user: Required value: user is required when subject kind is 'User'",
      "spec.rules[1].subjects[1].group: Forbidden: group is forbidden when subject kind is not 'Group'",
      'spec.rules[1].subjects[2].serviceAccount.name: Required value',
      'spec.rules[1].subjects[2].serviceAccount.namespace: Required value: must specify namespace for service account',
      'spec.rules[1]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
    ],
  },
  {
    name: 'level',
    path: '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
    kind: 'PriorityLevelConfiguration',
    given: {
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: -1,
          lendablePercent: 101,
          borrowingLimitPercent: -1,
          limitResponse: { type: 'Queue', queuing: { queues: -1, handSize: 200, queueLengthLimit: -1 } },
        },
      },
    },
    expect: [
      'spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer',
      'spec.limited.limitResponse.queuing.queueLengthLimit: Invalid value: -1: must be positive',
      'spec.limited.limitResponse.queuing.queues: Invalid value: -1: must be positive',
      'spec.limited.limitResponse.queuing.handSize: Invalid value: 200: should not be greater than queues (-1)',
      'spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive',
      'spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer',
    ],
  },
  {
    name: 'address',
    path: '/apis/networking.k8s.io/v1/ipaddresses',
    kind: 'IPAddress',
    given: { metadata: { name: '010.0.0.1' }, spec: { parentRef: { resource: '', name: '' } } },
    expect: [
      'metadata.name: Invalid value: "010.0.0.1": must not have leading 0s',
      'spec.parentRef.resource: Required value',
      'spec.parentRef.name: Required value',
    ],
  },
  {
    name: 'address: of what it is',
    path: '/apis/networking.k8s.io/v1/ipaddresses',
    kind: 'IPAddress',
    given: { metadata: { name: '10.9.8.7' }, spec: { parentRef: { resource: 'services', name: 's', namespace: 'n' } } },
    patch: { spec: { parentRef: { name: 't' } } },
    expect: [
      'spec.parentRef: Invalid value: {"Group":"","Resource":"services","Namespace":"n","Name":"t"}: field is immutable',
    ],
  },
  {
    name: 'ranges',
    path: '/apis/networking.k8s.io/v1/servicecidrs',
    kind: 'ServiceCIDR',
    given: { spec: { cidrs: ['10.0.0.1/8', 'x'] } },
    expect: [
      'spec.cidrs[0]: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length',
      'spec.cidrs[1]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
  },
  {
    name: 'ranges: none',
    path: '/apis/networking.k8s.io/v1/servicecidrs',
    kind: 'ServiceCIDR',
    given: { spec: {} },
    expect: ['spec.cidrs: Required value: at least one CIDR required'],
  },
  {
    name: 'class of ingresses',
    path: '/apis/networking.k8s.io/v1/ingressclasses',
    kind: 'IngressClass',
    given: { spec: { controller: 'a', parameters: { apiGroup: 'A_', kind: '', name: 'a/b', scope: 'X' } } },
    expect: [
      'spec.controller: Invalid value: "a": must be a domain-prefixed path (such as "acme.io/foo")',
      `spec.parameters.apiGroup: Invalid value: "A_": ${texts.dns1123Subdomain}`,
      'spec.parameters.kind: Required value',
      'spec.parameters.name: Invalid value: "a/b": may not contain \'/\'',
      'spec.parameters.scope: Unsupported value: "X": supported values: "Cluster", "Namespace"',
    ],
  },
  {
    name: 'class of ingresses: what stays',
    path: '/apis/networking.k8s.io/v1/ingressclasses',
    kind: 'IngressClass',
    given: { spec: { controller: 'a.b/c' } },
    patch: { spec: { controller: 'a.b/d' } },
    expect: ['spec.controller: Invalid value: "a.b/d": field is immutable'],
  },
  {
    name: 'class of ingresses: in a namespace',
    path: '/apis/networking.k8s.io/v1/ingressclasses',
    kind: 'IngressClass',
    given: { spec: { controller: 'a.b/c', parameters: { kind: 'k', name: 'n', scope: 'Namespace' } } },
    expect: ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
  },
  {
    name: 'controller of replicas',
    path: `${core}/replicationcontrollers`,
    kind: 'ReplicationController',
    given: { spec: { replicas: -1, minReadySeconds: -1, selector: { a: 'c' }, template } },
    expect: [
      `spec.minReadySeconds: Invalid value: -1: ${texts.natural}`,
      `spec.replicas: Invalid value: -1: ${texts.natural}`,
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
    ],
  },
  {
    name: 'controller of replicas: no template',
    path: `${core}/replicationcontrollers`,
    kind: 'ReplicationController',
    given: { spec: { selector: { a: 'c' } } },
    expect: ['spec.template: Required value'],
  },
  {
    name: 'template',
    path: `${core}/podtemplates`,
    kind: 'PodTemplate',
    given: {
      template: { metadata: { labels: { 'a b': 'c' }, annotations: { 'a b': 'c' } }, spec: { containers: [] } },
    },
    expect: [
      `template.labels: Invalid value: "a b": ${texts.namePart}`,
      `template.annotations: Invalid value: "a b": ${texts.namePart}`,
      'template.spec.containers: Required value',
    ],
  },
  {
    name: 'request for a certificate',
    path: '/apis/certificates.k8s.io/v1/certificatesigningrequests',
    kind: 'CertificateSigningRequest',
    given: {
      spec: { request: 'eA==', signerName: 'x', usages: ['flying', 'signing', 'signing'], expirationSeconds: 5 },
    },
    expect: [
      'spec.request: Invalid value: "eA==": PEM block type must be CERTIFICATE REQUEST',
      'spec.usages[0]: Unsupported value: "flying": supported values: "any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment", "decipher only", "digital signa…',
      'spec.usages[2]: Duplicate value: "signing"',
      'spec.signerName: Invalid value: "x": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
      'spec.expirationSeconds: Invalid value: 5: may not specify a duration less than 600 seconds (10 minutes)',
    ],
  },
];

t.test('beyond the rows: roles, admission, storage, devices, flows, networks', async t => causesTable(t, cases));
