/** LimitRanges and ResourceQuotas: validation errors and warnings. */
import { texts } from '../../../kinds/kubernetes/fault-table.js';
import { causes } from './causes.js';

causes('limitranges', [
  {
    name: 'a duplicate type',
    given: { spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }, { type: 'Pod' }] } },
    expect: ['spec.limits[1].type: Duplicate value: "Pod"'],
  },
  {
    name: 'defaults of pods',
    given: { spec: { limits: [{ type: 'Pod', default: { cpu: '1' }, defaultRequest: { cpu: '1' } }] } },
    expect: [
      "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
      "spec.limits[0].defaultRequest: Forbidden: may not be specified when `type` is 'Pod'",
    ],
  },
  {
    name: 'order',
    given: {
      spec: {
        limits: [
          {
            type: 'Container',
            min: { cpu: '2' },
            max: { cpu: '1' },
            default: { cpu: '3' },
            defaultRequest: { cpu: '4' },
            maxLimitRequestRatio: { cpu: '500m' },
          },
        ],
      },
    },
    expect: [
      'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "4": default request value 4 is greater than max value 1',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "4": default request value 4 is greater than default limit value 3',
      'spec.limits[0].default[cpu]: Invalid value: "1": default value 3 is greater than max value 1',
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1',
    ],
  },
  {
    name: 'claims without a limit',
    given: { spec: { limits: [{ type: 'PersistentVolumeClaim' }] } },
    expect: [
      'spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
    ],
  },
  {
    name: 'types and resources',
    given: {
      spec: {
        limits: [
          { type: 'a b', max: { x: '1', 'a b': '1' } },
          { type: 'X', max: { x: '1' } },
        ],
      },
    },
    expect: [
      `spec.limits[0].type: Invalid value: "a b": ${texts.namePart}`,
      `spec.limits[0].max[a b]: Invalid value: "a b": ${texts.namePart}`,
      'spec.limits[0].max[x]: Invalid value: "x": must be a standard resource type or fully qualified',
      'spec.limits[1].type: Invalid value: "X": must be a standard limit type or fully qualified',
      'spec.limits[1].max[x]: Invalid value: "x": must be a standard resource type or fully qualified',
    ],
  },
  {
    name: 'a minimum above the maximum',
    given: { spec: { limits: [{ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }] } },
    expect: [
      'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "1": min value 2 is greater than default request value 1',
      'spec.limits[0].default[cpu]: Invalid value: "2": min value 2 is greater than default value 1',
    ],
  },
]);

causes('resourcequotas', [
  {
    name: 'quota: numbers and names',
    given: { spec: { hard: { pods: '-1', cpu: '-1', foo: '1', 'a b': '1', 'requests.x/y': '1', 'count/a.b': '1.5' } } },
    expect: [
      `spec.hard[a b]: Invalid value: "a b": ${texts.namePart}`,
      'spec.hard[a b]: Invalid value: "a b": must be a standard resource for quota',
      'spec.hard[count/a.b]: Invalid value: "1500m": must be an integer',
      `spec.hard[cpu]: Invalid value: "-1": ${texts.natural}`,
      'spec.hard[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
      'spec.hard[foo]: Invalid value: "foo": must be a standard resource for quota',
      `spec.hard[pods]: Invalid value: "-1": ${texts.natural}`,
    ],
  },
  {
    name: 'quota: scopes that exclude each other',
    given: {
      spec: { hard: { pods: '1' }, scopes: ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating', 'X'] },
    },
    expect: [
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort","Terminating","NotTerminating","X"]: unsupported scope',
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort","Terminating","NotTerminating","X"]: conflicting scopes',
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort","Terminating","NotTerminating","X"]: conflicting scopes',
    ],
  },
  {
    name: 'quota: resources that a scope does not count',
    given: { spec: { hard: { services: '1', cpu: '1' }, scopes: ['BestEffort'] } },
    expect: [
      'spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
      'spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
    ],
  },
  {
    name: 'quota: selectors',
    given: {
      spec: {
        hard: { pods: '1' },
        scopeSelector: {
          matchExpressions: [
            { scopeName: 'X', operator: 'Y' },
            { scopeName: 'PriorityClass', operator: 'In', values: [] },
            { scopeName: 'Terminating', operator: 'In', values: ['a'] },
            { scopeName: 'PriorityClass', operator: 'Exists', values: ['a'] },
          ],
        },
      },
    },
    expect: [
      'spec.scopeSelector.matchExpressions.scopeName: Invalid value: "X": unsupported scope',
      'spec.scopeSelector.matchExpressions.operator: Invalid value: "Y": not a valid selector operator',
      "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
      'spec.scopeSelector.matchExpressions.operator: Invalid value: "In": must be \'Exists\' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity',
      "spec.scopeSelector.matchExpressions.values: Invalid value: [\"a\"]: must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
    ],
  },
  {
    name: 'quota: changed scopes',
    given: { spec: { hard: { pods: '1' }, scopes: ['BestEffort'] } },
    patch: { spec: { scopes: ['NotBestEffort'] } },
    expect: ['spec.scopes: Invalid value: ["NotBestEffort"]: field is immutable'],
  },
  {
    name: 'quota: status',
    given: { spec: { hard: { pods: '1' } } },
    patch: { status: { hard: { pods: '-1' }, used: { foo: '1.5' } } },
    part: 'status',
    expect: [
      `status.hard[pods]: Invalid value: "-1": ${texts.natural}`,
      'status.used[foo]: Invalid value: "foo": must be a standard resource type or fully qualified',
      'status.used[foo]: Invalid value: "foo": must be a standard resource for quota',
    ],
  },
]);
