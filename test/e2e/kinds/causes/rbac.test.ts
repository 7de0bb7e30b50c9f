/** Roles, bindings and ServiceAccounts: validation errors and warnings. */
import { texts } from '../../../kinds/kubernetes/fault-table.js';
import { causes } from './causes.js';

causes('clusterroles', [
  {
    name: 'empty rules',
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
    name: 'an aggregation without selectors',
    given: { aggregationRule: { clusterRoleSelectors: [] }, rules: [] },
    expect: [
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ],
  },
  {
    name: 'an aggregation with invalid labels',
    given: { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'a b': 'c' } }] } },
    expect: [
      `aggregationRule.clusterRoleSelectors[0].matchLabels: Invalid value: "a b": ${texts.namePart}`,
      'aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.',
    ],
  },
]);

causes('roles', [
  {
    name: 'URLs in a namespaced role',
    given: { rules: [{ verbs: ['get'], nonResourceURLs: ['/a'] }] },
    expect: ['rules[0].nonResourceURLs: Invalid value: ["/a"]: namespaced rules cannot apply to non-resource URLs'],
  },
]);

causes('clusterrolebindings', [
  {
    name: 'subjects',
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
]);

causes('rolebindings', [
  {
    name: 'an invalid role reference',
    given: { roleRef: { apiGroup: 'x', kind: 'Y', name: '' } },
    expect: [
      'roleRef.apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io"',
      'roleRef.kind: Unsupported value: "Y": supported values: "Role", "ClusterRole"',
      'roleRef.name: Required value',
    ],
  },
  {
    name: 'a changed role',
    given: { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' } },
    patch: { roleRef: { name: 'edit' } },
    expect: [
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"edit"}: cannot change roleRef',
    ],
  },
]);

causes('serviceaccounts', [
  {
    name: 'the deprecated annotation of mountable secrets',
    given: { metadata: { name: 'sa', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } } },
    expect: [],
    warnings: [
      'metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets',
    ],
  },
]);
