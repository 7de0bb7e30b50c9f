import t from 'tap';
import { faultTable, texts } from '../../fault-table.js';

t.test(
  'config maps are validated',
  async t =>
    await faultTable(
      t,
      ['', 'ConfigMap'],
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'n', namespace: 'space' } },
      [
        {
          name: 'keys',
          given: { data: { 'a b': 'x', '..': 'y', '': 'z' }, binaryData: { '../x': 'AA==' } },
          expect: [
            ['data[]', `Invalid value: "": ${texts.configKey}`],
            ['data[..]', `Invalid value: "..": must not be '..'`],
            ['data[a b]', `Invalid value: "a b": ${texts.configKey}`],
            ['binaryData[../x]', `Invalid value: "../x": ${texts.configKey}`],
            ['binaryData[../x]', `Invalid value: "../x": must not start with '..'`],
          ],
        },
        {
          name: 'a key twice',
          given: { data: { a: 'x' }, binaryData: { a: 'AA==' } },
          expect: [['data[a]', 'Invalid value: "a": duplicate of key present in binaryData']],
        },
        {
          name: 'immutable',
          old: { immutable: true },
          given: { data: { a: 'y' }, binaryData: { b: 'AA==' } },
          expect: [
            ['data', 'Forbidden: field is immutable when `immutable` is set'],
            ['binaryData', 'Forbidden: field is immutable when `immutable` is set'],
          ],
        },
        {
          name: 'a change from immutable to mutable',
          old: { immutable: true },
          given: { immutable: false },
          expect: [['immutable', 'Forbidden: field is immutable when `immutable` is set']],
        },
      ],
    ),
);

t.test(
  'secrets are validated',
  async t =>
    await faultTable(
      t,
      ['', 'Secret'],
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'n', namespace: 'space' } },
      [
        {
          name: 'a token without a service account',
          given: { type: 'kubernetes.io/service-account-token' },
          expect: [['metadata.annotations[kubernetes.io/service-account.name]', 'Required value']],
        },
        {
          name: 'basic authentication without user and password',
          given: { type: 'kubernetes.io/basic-auth' },
          expect: [
            ['data[username]', 'Required value'],
            ['data[password]', 'Required value'],
          ],
        },
        {
          name: 'no SSH key',
          given: { type: 'kubernetes.io/ssh-auth' },
          expect: [['data[ssh-privatekey]', 'Required value']],
        },
        {
          name: 'no certificate',
          given: { type: 'kubernetes.io/tls' },
          expect: [
            ['data[tls.crt]', 'Required value'],
            ['data[tls.key]', 'Required value'],
          ],
          warnings: ['tls: failed to find any PEM data in certificate input'],
        },
        {
          name: 'an invalid certificate',
          given: { type: 'kubernetes.io/tls', data: { 'tls.crt': 'AA==', 'tls.key': 'AA==' } },
          expect: [],
          warnings: ['tls: failed to find any PEM data in certificate input'],
        },
        {
          name: 'no registry settings',
          given: { type: 'kubernetes.io/dockercfg' },
          expect: [['data[.dockercfg]', 'Required value']],
        },
        {
          name: 'registry settings that are not JSON',
          given: { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': 'eA==' } },
          expect: [
            [
              'data[.dockercfg]',
              `Invalid value: "<secret contents redacted>": invalid character 'x' looking for beginning of value`,
            ],
          ],
        },
        {
          name: 'a docker config that is not JSON',
          given: { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'eA==' } },
          expect: [
            [
              'data[.dockerconfigjson]',
              `Invalid value: "<secret contents redacted>": invalid character 'x' looking for beginning of value`,
            ],
          ],
        },
        {
          name: 'a key',
          given: { data: { 'a b': 'AA==' } },
          expect: [['data[a b]', `Invalid value: "a b": ${texts.configKey}`]],
        },
        ...['__proto__', 'constructor'].map(type => ({ name: `any type: ${type}`, given: { type }, expect: [] })),
        {
          name: 'a changed type',
          old: { type: 'y' },
          given: { type: 'x' },
          expect: [['type', 'Invalid value: "x": field is immutable']],
        },
        {
          name: 'immutable',
          old: { immutable: true },
          given: { data: { a: 'AA==' } },
          expect: [['data', 'Forbidden: field is immutable when `immutable` is set']],
        },
      ],
    ),
);

t.test(
  'namespaces are validated',
  async t =>
    await faultTable(t, ['', 'Namespace'], { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } }, [
      {
        name: 'finalizers',
        given: { spec: { finalizers: ['x', 'a/b', '-/x'] } },
        expect: [
          [
            'spec.finalizers',
            'Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
          ],
          ['spec.finalizers', `Invalid value: "-/x": prefix part ${texts.dns1123Subdomain}`],
        ],
      },
      {
        name: 'the finalize endpoint',
        part: 'finalize',
        given: { spec: { finalizers: ['x'] } },
        expect: [
          [
            'spec.finalizers[0]',
            'Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
          ],
        ],
      },
      {
        name: 'the phase Terminating without a deletionTimestamp',
        part: 'status',
        given: { status: { phase: 'Terminating' } },
        expect: [
          ['status.Phase', 'Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty'],
        ],
      },
      {
        name: 'a deletionTimestamp without the phase Terminating',
        old: { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' }, status: { phase: 'Terminating' } },
        part: 'status',
        given: { status: { phase: 'Active' } },
        expect: [
          ['status.Phase', 'Invalid value: "Active": may only be \'Terminating\' if `deletionTimestamp` is not empty'],
        ],
      },
    ]),
);

t.test(
  'endpoints are validated',
  async t =>
    await faultTable(
      t,
      ['', 'Endpoints'],
      { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'n', namespace: 'space' } },
      [
        {
          name: 'nothing',
          given: { subsets: [{}] },
          expect: [['subsets[0]', 'Required value: must specify `addresses` or `notReadyAddresses`']],
        },
        {
          name: 'addresses',
          given: {
            subsets: [
              {
                addresses: [
                  { ip: 'x' },
                  { ip: '127.0.0.1' },
                  { ip: '' },
                  { ip: '1.2.3.4', hostname: 'A_', nodeName: 'a b' },
                ],
              },
            ],
          },
          expect: [
            [
              'subsets[0].addresses[0].ip',
              'Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
            ],
            ['subsets[0].addresses[0].ip', 'Invalid value: "x": must be a valid IP address'],
            [
              'subsets[0].addresses[1].ip',
              'Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
            ],
            [
              'subsets[0].addresses[2].ip',
              'Invalid value: "": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
            ],
            ['subsets[0].addresses[2].ip', 'Invalid value: "": must be a valid IP address'],
            ['subsets[0].addresses[3].hostname', `Invalid value: "A_": ${texts.dns1123Label}`],
            ['subsets[0].addresses[3].nodeName', `Invalid value: "a b": ${texts.dns1123Subdomain}`],
          ],
        },
        {
          name: 'ports',
          given: {
            subsets: [
              {
                addresses: [{ ip: '1.2.3.4' }],
                ports: [{ port: 0 }, { name: 'A', port: 80, protocol: 'X', appProtocol: 'a b' }],
              },
            ],
          },
          expect: [
            ['subsets[0].ports[0].name', 'Required value'],
            ['subsets[0].ports[0].port', 'Invalid value: 0: must be between 1 and 65535, inclusive'],
            ['subsets[0].ports[1].name', `Invalid value: "A": ${texts.dns1123Label}`],
            ['subsets[0].ports[1].protocol', 'Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"'],
            ['subsets[0].ports[1].appProtocol', `Invalid value: "a b": ${texts.namePart}`],
          ],
        },
      ],
    ),
);

t.test(
  'resource quotas are validated',
  async t =>
    await faultTable(
      t,
      ['', 'ResourceQuota'],
      { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'n', namespace: 'space' } },
      [
        {
          name: 'limits',
          given: {
            spec: {
              hard: {
                'a b': '1',
                foo: '1',
                pods: '1.5',
                cpu: '-1',
                'requests.nvidia.com/gpu': '1',
                'count/x': '1',
                'requests.x': '1',
              },
            },
          },
          expect: [
            ['spec.hard[a b]', `Invalid value: "a b": ${texts.namePart}`],
            ['spec.hard[a b]', 'Invalid value: "a b": must be a standard resource for quota'],
            ['spec.hard[cpu]', `Invalid value: "-1": ${texts.natural}`],
            ['spec.hard[foo]', 'Invalid value: "foo": must be a standard resource type or fully qualified'],
            ['spec.hard[foo]', 'Invalid value: "foo": must be a standard resource for quota'],
            ['spec.hard[pods]', 'Invalid value: "1500m": must be an integer'],
            [
              'spec.hard[requests.x]',
              'Invalid value: "requests.x": must be a standard resource type or fully qualified',
            ],
            ['spec.hard[requests.x]', 'Invalid value: "requests.x": must be a standard resource for quota'],
          ],
        },
        {
          name: 'scopes',
          given: { spec: { scopes: ['X', 'Terminating', 'NotTerminating', 'Terminating'], hard: { cpu: '1' } } },
          expect: [
            ['spec.scopes', 'Invalid value: ["X","Terminating","NotTerminating","Terminating"]: unsupported scope'],
            ['spec.scopes', 'Invalid value: ["X","Terminating","NotTerminating","Terminating"]: conflicting scopes'],
          ],
        },
        {
          name: 'resources that a scope does not count',
          given: { spec: { scopes: ['BestEffort'], hard: { cpu: '1', pods: '1', services: '1' } } },
          expect: [
            ['spec.scopes', 'Invalid value: ["BestEffort"]: unsupported scope applied to resource'],
            ['spec.scopes', 'Invalid value: ["BestEffort"]: unsupported scope applied to resource'],
          ],
        },
        {
          name: 'a selector of scopes',
          given: {
            spec: {
              scopeSelector: {
                matchExpressions: [
                  { scopeName: 'X', operator: 'Y' },
                  { scopeName: 'PriorityClass', operator: 'In' },
                  { scopeName: 'Terminating', operator: 'In', values: ['a'] },
                  { scopeName: 'PriorityClass', operator: 'Exists', values: ['b'] },
                  { scopeName: 'BestEffort', operator: 'Exists' },
                  { scopeName: 'NotBestEffort', operator: 'Exists' },
                ],
              },
            },
          },
          expect: [
            ['spec.scopeSelector.matchExpressions.scopeName', 'Invalid value: "X": unsupported scope'],
            ['spec.scopeSelector.matchExpressions.operator', 'Invalid value: "Y": not a valid selector operator'],
            [
              'spec.scopeSelector.matchExpressions.values',
              "Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
            ],
            [
              'spec.scopeSelector.matchExpressions.operator',
              `Invalid value: "In": must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity`,
            ],
            [
              'spec.scopeSelector.matchExpressions.values',
              "Invalid value: [\"b\"]: must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
            ],
            ['spec.scopeSelector.matchExpressions', 'Invalid value: null: conflicting scopes'],
          ],
        },
        {
          name: 'a change of scopes',
          old: { spec: { hard: { pods: '1' } } },
          given: { spec: { scopes: ['BestEffort'] } },
          expect: [['spec.scopes', 'Invalid value: ["BestEffort"]: field is immutable']],
        },
        {
          name: 'a status',
          part: 'status',
          given: { status: { hard: { foo: '1' }, used: { cpu: '-1' } } },
          expect: [
            ['status.hard[foo]', 'Invalid value: "foo": must be a standard resource type or fully qualified'],
            ['status.hard[foo]', 'Invalid value: "foo": must be a standard resource for quota'],
            ['status.used[cpu]', `Invalid value: "-1": ${texts.natural}`],
          ],
        },
      ],
    ),
);

t.test(
  'limit ranges are validated',
  async t =>
    await faultTable(
      t,
      ['', 'LimitRange'],
      { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'n', namespace: 'space' } },
      [
        {
          name: 'types',
          given: { spec: { limits: [{ type: 'a b' }, { type: 'X' }, { type: 'a/b' }] } },
          expect: [
            ['spec.limits[0].type', `Invalid value: "a b": ${texts.namePart}`],
            ['spec.limits[1].type', 'Invalid value: "X": must be a standard limit type or fully qualified'],
          ],
        },
        {
          name: 'a type twice',
          given: {
            spec: { limits: [{ type: 'Pod' }, { type: 'Pod', default: { cpu: '1' }, defaultRequest: { cpu: '1' } }] },
          },
          expect: [
            ['spec.limits[1].type', 'Duplicate value: "Pod"'],
            ['spec.limits[1].default', "Forbidden: may not be specified when `type` is 'Pod'"],
            ['spec.limits[1].defaultRequest', "Forbidden: may not be specified when `type` is 'Pod'"],
          ],
        },
        {
          name: 'claims without storage',
          given: { spec: { limits: [{ type: 'PersistentVolumeClaim' }] } },
          expect: [
            [
              'spec.limits[0].limits',
              'Required value: either minimum or maximum storage value is required, but neither was provided',
            ],
          ],
        },
        {
          name: 'minimum, default and maximum in a wrong order',
          given: {
            spec: {
              limits: [
                {
                  type: 'Container',
                  min: { cpu: '3' },
                  max: { cpu: '1' },
                  default: { cpu: '5' },
                  defaultRequest: { cpu: '6' },
                  maxLimitRequestRatio: { cpu: '0.5', memory: '9' },
                },
              ],
            },
          },
          expect: [
            ['spec.limits[0].min[cpu]', 'Invalid value: "3": min value 3 is greater than max value 1'],
            [
              'spec.limits[0].defaultRequest[cpu]',
              'Invalid value: "6": default request value 6 is greater than max value 1',
            ],
            [
              'spec.limits[0].defaultRequest[cpu]',
              'Invalid value: "6": default request value 6 is greater than default limit value 5',
            ],
            ['spec.limits[0].default[cpu]', 'Invalid value: "1": default value 5 is greater than max value 1'],
            ['spec.limits[0].maxLimitRequestRatio[cpu]', 'Invalid value: "500m": ratio 500m is less than 1'],
            [
              'spec.limits[0].maxLimitRequestRatio[cpu]',
              'Invalid value: "500m": ratio 500m is greater than max/min = 0.333333',
            ],
          ],
        },
        {
          name: 'a ratio',
          given: {
            spec: {
              limits: [{ type: 'Container', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } }],
            },
          },
          expect: [
            [
              'spec.limits[0].maxLimitRequestRatio[cpu]',
              'Invalid value: "3": ratio 3 is greater than max/min = 2.000000',
            ],
          ],
        },
      ],
    ),
);
