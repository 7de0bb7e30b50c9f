import t from 'tap';
import { faultTable, texts } from '../fault-table.js';

t.test(
  'flow schemas are validated',
  async t =>
    await faultTable(
      t,
      ['flowcontrol.apiserver.k8s.io', 'FlowSchema'],
      {
        apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
        kind: 'FlowSchema',
        metadata: { name: 'n' },
        spec: { priorityLevelConfiguration: { name: 'x' } },
      },
      [
        {
          name: 'a precedence below the minimum',
          given: { spec: { matchingPrecedence: -1 } },
          expect: [['spec.matchingPrecedence', 'Invalid value: -1: must be a positive value']],
        },
        {
          name: 'the precedence that is reserved for exempt',
          given: { spec: { matchingPrecedence: 1 } },
          expect: [
            [
              'spec.matchingPrecedence',
              "Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
            ],
          ],
        },
        {
          name: 'a precedence above the maximum',
          given: { spec: { matchingPrecedence: 10001 } },
          expect: [['spec.matchingPrecedence', 'Invalid value: 10001: must not be greater than 10000']],
        },
        {
          name: 'an unknown method',
          given: { spec: { distinguisherMethod: { type: 'X' } } },
          expect: [
            [
              'spec.distinguisherMethod.type',
              'Unsupported value: {"Type":"X"}: supported values: "ByNamespace", "ByUser"',
            ],
          ],
        },
        {
          name: 'no level',
          given: { spec: { priorityLevelConfiguration: { name: '' } } },
          expect: [['spec.priorityLevelConfiguration.name', 'Required value: must reference a priority level']],
        },
        {
          name: 'subjects',
          given: {
            spec: {
              rules: [
                {},
                {
                  subjects: [
                    { kind: 'X' },
                    { kind: 'User' },
                    { kind: 'User', user: { name: '' }, group: { name: 'g' } },
                    { kind: 'ServiceAccount', serviceAccount: { name: 'A', namespace: '' } },
                  ],
                  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
                },
              ],
            },
          },
          expect: [
            ['spec.rules[0].subjects', 'Required value: subjects must contain at least one value'],
            ['spec.rules[0]', 'Required value: at least one of resourceRules and nonResourceRules has to be non-empty'],
            [
              'spec.rules[1].subjects[0].kind',
              'Unsupported value: "X": supported values: "Group", "ServiceAccount", "User"',
            ],
            ['spec.rules[1].subjects[1].user', "Required value: user is required when subject kind is 'User'"],
            ['spec.rules[1].subjects[2].user.name', 'Required value'],
            ['spec.rules[1].subjects[2].group', "Forbidden: group is forbidden when subject kind is not 'Group'"],
            ['spec.rules[1].subjects[3].serviceAccount.name', `Invalid value: "A": ${texts.dns1123Subdomain}`],
            [
              'spec.rules[1].subjects[3].serviceAccount.namespace',
              'Required value: must specify namespace for service account',
            ],
          ],
        },
        {
          name: 'resources',
          given: {
            spec: {
              rules: [
                {
                  subjects: [{ kind: 'User', user: { name: 'u' } }],
                  resourceRules: [
                    {},
                    { verbs: ['x'], apiGroups: ['*', 'a'], resources: ['*', 'b'], namespaces: ['*', 'c'] },
                    { verbs: ['*', 'get'], apiGroups: ['a'], resources: ['b'], namespaces: ['A'] },
                  ],
                },
              ],
            },
          },
          expect: [
            ['spec.rules[0].resourceRules[0].verbs', 'Required value: verbs must contain at least one value'],
            [
              'spec.rules[0].resourceRules[0].apiGroups',
              'Required value: resource rules must supply at least one api group',
            ],
            [
              'spec.rules[0].resourceRules[0].resources',
              'Required value: resource rules must supply at least one resource',
            ],
            [
              'spec.rules[0].resourceRules[0].namespaces',
              'Required value: resource rules that are not cluster scoped must supply at least one namespace',
            ],
            [
              'spec.rules[0].resourceRules[1].verbs',
              'Unsupported value: ["x"]: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"',
            ],
            [
              'spec.rules[0].resourceRules[1].apiGroups',
              `Invalid value: ["*","a"]: if '*' is present, must not specify other api groups`,
            ],
            [
              'spec.rules[0].resourceRules[1].resources',
              `Invalid value: ["*","b"]: if '*' is present, must not specify other resources`,
            ],
            [
              'spec.rules[0].resourceRules[1].namespaces',
              `Invalid value: ["*","c"]: if '*' is present, must not specify other namespaces`,
            ],
            [
              'spec.rules[0].resourceRules[2].verbs',
              `Invalid value: ["*","get"]: if '*' is present, must not specify other verbs`,
            ],
            [
              'spec.rules[0].resourceRules[2].namespaces[0]',
              `Invalid value: "A": each member of this list must be '*' or a DNS-1123 label; ${texts.dns1123Label}`,
            ],
          ],
        },
        {
          name: 'URLs',
          given: {
            spec: {
              rules: [
                {
                  subjects: [{ kind: 'User', user: { name: 'u' } }],
                  nonResourceRules: [
                    {},
                    { verbs: ['get'], nonResourceURLs: ['x', '', '/a b', '/a//b', '/a*', '/*'] },
                    { verbs: ['get'], nonResourceURLs: ['*', '/x'] },
                  ],
                },
              ],
            },
          },
          expect: [
            ['spec.rules[0].nonResourceRules[0].verbs', 'Required value: verbs must contain at least one value'],
            [
              'spec.rules[0].nonResourceRules[0].nonResourceURLs',
              'Required value: nonResourceURLs must contain at least one value',
            ],
            ['spec.rules[0].nonResourceRules[1].nonResourceURLs[0]', 'Invalid value: "x": must start with slash'],
            ['spec.rules[0].nonResourceRules[1].nonResourceURLs[1]', 'Invalid value: "": must not be empty'],
            [
              'spec.rules[0].nonResourceRules[1].nonResourceURLs[2]',
              'Invalid value: "/a b": must not contain white-space',
            ],
            [
              'spec.rules[0].nonResourceRules[1].nonResourceURLs[3]',
              'Invalid value: "/a//b": must not contain double slash',
            ],
            [
              'spec.rules[0].nonResourceRules[1].nonResourceURLs[4]',
              'Invalid value: "/a*": wildcard can only do suffix matching',
            ],
            [
              'spec.rules[0].nonResourceRules[2].nonResourceURLs',
              `Invalid value: ["*","/x"]: if '*' is present, must not specify other non-resource URLs`,
            ],
          ],
        },
        {
          name: 'a mandatory object with another spec',
          given: { metadata: { name: 'exempt' } },
          expect: [
            [
              'spec',
              `Invalid value: {"PriorityLevelConfiguration":{"Name":"x"},"MatchingPrecedence":1000,"DistinguisherMethod":null,"Rules":null}: spec of 'exempt' must equal the fixed value`,
            ],
          ],
        },
        {
          name: 'conditions',
          part: 'status',
          given: { status: { conditions: [{ type: '' }, { type: '' }] } },
          expect: [
            ['status.conditions[0].type', 'Required value'],
            ['status.conditions[1].type', 'Duplicate value: ""'],
            ['status.conditions[1].type', 'Required value'],
          ],
        },
      ],
    ),
);

t.test(
  'priority levels are validated',
  async t =>
    await faultTable(
      t,
      ['flowcontrol.apiserver.k8s.io', 'PriorityLevelConfiguration'],
      {
        apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
        kind: 'PriorityLevelConfiguration',
        metadata: { name: 'n' },
        spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
      },
      [
        {
          name: 'an unknown type',
          given: { spec: { type: 'X' } },
          expect: [['spec.type', 'Unsupported value: "X": supported values: "Exempt", "Limited"']],
        },
        {
          name: 'another exempt level',
          given: { spec: { type: 'Exempt' } },
          expect: [
            ['spec.type', "Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'"],
            ['spec.limited', 'Forbidden: must be nil if the type is not Limited'],
          ],
        },
        {
          name: 'no limits',
          given: { spec: { limited: null } },
          expect: [['spec.limited', 'Required value: must not be empty when type is Limited']],
        },
        {
          name: 'limited and exempt',
          given: { spec: { exempt: {} } },
          expect: [['spec.exempt', 'Forbidden: must be nil if the type is Limited']],
        },
        {
          name: 'numbers',
          given: {
            spec: { limited: { nominalConcurrencyShares: -1, lendablePercent: 101, borrowingLimitPercent: -1 } },
          },
          expect: [
            ['spec.limited.nominalConcurrencyShares', 'Invalid value: -1: must be a non-negative integer'],
            ['spec.limited.lendablePercent', 'Invalid value: 101: must be between 0 and 100, inclusive'],
            ['spec.limited.borrowingLimitPercent', 'Invalid value: -1: if specified, must be a non-negative integer'],
          ],
        },
        {
          name: 'an unknown response',
          given: { spec: { limited: { limitResponse: { type: 'X' } } } },
          expect: [['spec.limited.limitResponse.type', 'Unsupported value: "X": supported values: "Queue", "Reject"']],
        },
        {
          name: 'queues with the response Reject',
          given: { spec: { limited: { limitResponse: { queuing: {} } } } },
          expect: [
            [
              'spec.limited.limitResponse.queuing',
              'Forbidden: must be nil if limited.limitResponse.type is not Limited',
            ],
          ],
        },
        {
          name: 'no queues',
          given: { spec: { limited: { limitResponse: { type: 'Queue' } } } },
          expect: [
            [
              'spec.limited.limitResponse.queuing',
              'Required value: must not be empty if limited.limitResponse.type is Limited',
            ],
          ],
        },
        {
          name: 'queues',
          given: {
            spec: {
              limited: { limitResponse: { type: 'Queue', queuing: { queues: 5, handSize: 9, queueLengthLimit: -1 } } },
            },
          },
          expect: [
            ['spec.limited.limitResponse.queuing.queueLengthLimit', 'Invalid value: -1: must be positive'],
            ['spec.limited.limitResponse.queuing.handSize', 'Invalid value: 9: should not be greater than queues (5)'],
          ],
        },
        {
          name: 'a hand size above the maximum',
          given: {
            spec: { limited: { limitResponse: { type: 'Queue', queuing: { queues: 10000000, handSize: 8 } } } },
          },
          expect: [
            [
              'spec.limited.limitResponse.queuing.handSize',
              'Invalid value: 8: required entropy bits of deckSize 10000000 and handSize 8 should not be greater than 60',
            ],
          ],
        },
        {
          name: 'an annotation',
          given: { metadata: { annotations: { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' } } },
          expect: [
            [
              'metadata.annotations',
              "Forbidden: annotation 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares' is forbidden",
            ],
          ],
        },
      ],
    ),
);
