/** Admission policies and their bindings: validation errors and warnings. */
import { texts } from '../../../kinds/kubernetes/fault-table.js';
import { resourceRules } from '../manifests.js';
import { causes } from './causes.js';

const policy = (more: object) => ({
  spec: { matchConstraints: { resourceRules }, validations: [{ expression: 'true' }], ...more },
});

causes('validatingadmissionpolicies', [
  {
    name: 'policy: an empty spec',
    given: { spec: {} },
    expect: [
      'spec.matchConstraints: Required value',
      'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
      'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
    ],
  },
  {
    name: 'policy: expressions',
    given: {
      metadata: { name: 'expressions' },
      spec: {
        matchConstraints: { resourceRules },
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
    given: policy({ paramKind: { apiVersion: 'a/b/c', kind: 'A_' } }),
    expect: [
      'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      "spec.paramKind.kind: Invalid value: \"A_\": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
    ],
  },
  {
    name: 'policy: unknown enum values',
    given: policy({ failurePolicy: 'X' }),
    expect: ['spec.failurePolicy: Unsupported value: "X": supported values: "Fail", "Ignore"'],
  },
  {
    name: 'policy: constraints',
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
]);

causes('validatingadmissionpolicybindings', [
  {
    name: 'binding: an empty spec',
    given: { spec: {} },
    expect: [
      'spec.policyName: Required value',
      'spec.validationActions: Required value: at least one validation action is required',
    ],
  },
  {
    name: 'binding: actions',
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
    given: { spec: { policyName: 'p', validationActions: ['Audit'], paramRef: {} } },
    expect: [
      'spec.paramRef: Required value: one of name or selector must be specified',
      'spec.paramRef.parameterNotFoundAction: Required value',
    ],
  },
]);
