/** FlowSchemas and PriorityLevelConfigurations: validation errors and warnings. */
import { texts } from '../../../kinds/kubernetes/fault-table.js';
import { causes } from './causes.js';

causes('flowschemas', [
  {
    name: 'flow',
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
]);

causes('prioritylevelconfigurations', [
  {
    name: 'level',
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
]);
