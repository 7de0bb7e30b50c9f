import t from 'tap';
import { typeWarnings } from '../../../admission/policy/type-check.js';
import { createCatalogue } from '../../../registry/catalogue/catalogue.js';
import { nativeDefinitions } from '../../../kinds/kubernetes/native.js';

const catalogue = createCatalogue(nativeDefinitions());
const rules = (...resources: string[]) => ({
  matchConstraints: {
    resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources }],
  },
});

const cases: { name: string; given: object; expect: object[] }[] = [
  {
    name: 'correct expressions',
    given: { validations: [{ expression: 'object.spec.replicas > 1', messageExpression: 'object.metadata.name' }] },
    expect: [],
  },
  {
    name: 'unknown fields',
    given: {
      validations: [
        { expression: 'true' },
        { expression: 'object.spec.replicas > 1 && object.spec.nope == 1', messageExpression: 'object.none' },
      ],
    },
    expect: [
      {
        fieldRef: 'spec.validations[1].expression',
        warning:
          "apps/v1, Kind=Deployment: ERROR: <input>:1:40: undefined field 'nope'\n | object.spec.replicas > 1 && object.spec.nope == 1\n | .......................................^\n",
      },
      {
        fieldRef: 'spec.validations[1].messageExpression',
        warning: "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'none'\n | object.none\n | ......^\n",
      },
    ],
  },
  {
    name: 'wrong types, also by variables',
    given: {
      variables: [{ name: 'n', expression: 'object.spec.replicas' }],
      validations: [{ expression: "variables.n == 'x'" }],
    },
    expect: [
      {
        fieldRef: 'spec.validations[0].expression',
        warning:
          "apps/v1, Kind=Deployment: ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(int, string)'\n | variables.n == 'x'\n | ............^\n",
      },
    ],
  },
  {
    name: 'quantities, int-or-string and preserved unknown fields',
    given: {
      validations: [
        {
          expression:
            "object.spec.template.spec.containers.all(c, quantity(string(c.resources.limits['cpu'])).isLessThan(quantity('1')))",
        },
        {
          expression:
            'object.spec.strategy.rollingUpdate.maxSurge == 1 || object.spec.strategy.rollingUpdate.maxSurge == "25%"',
        },
        {
          expression:
            "object.metadata.labels['a'] == 'b' && object.metadata.creationTimestamp < timestamp('2030-01-01T00:00:00Z')",
        },
      ],
    },
    expect: [],
  },
  {
    name: 'parameters',
    given: {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [{ expression: "params.data['a'] == 'b'" }, { expression: 'params.nope == 1' }],
    },
    expect: [
      {
        fieldRef: 'spec.validations[1].expression',
        warning:
          "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'nope'\n | params.nope == 1\n | ......^\n",
      },
    ],
  },
  {
    name: 'wildcards match no types',
    given: { ...rules('*'), validations: [{ expression: 'object.nope == 1' }] },
    expect: [],
  },
];

for (const { name, given, expect } of cases)
  t.same(typeWarnings({ ...rules('deployments'), ...given }, catalogue), expect, name);

t.test('each kind is checked separately', async t => {
  const found = typeWarnings(
    { ...rules('statefulsets', 'deployments'), validations: [{ expression: 'object.spec.serviceName == ""' }] },
    catalogue,
  );
  t.match(found, [{ warning: /^apps\/v1, Kind=Deployment: .*undefined field 'serviceName'/ }]);
  const both = typeWarnings(
    { ...rules('statefulsets', 'deployments'), validations: [{ expression: 'object.none == 1' }] },
    catalogue,
  );
  t.match(both[0]?.warning, /^apps\/v1, Kind=Deployment: [\s\S]*\^\n\napps\/v1, Kind=StatefulSet: /);
  const recursive = {
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: ['apiextensions.k8s.io'],
          apiVersions: ['v1'],
          operations: ['CREATE'],
          resources: ['customresourcedefinitions'],
        },
      ],
    },
  };
  t.same(
    typeWarnings(
      {
        ...recursive,
        validations: [{ expression: 'object.spec.versions.all(v, v.schema.openAPIV3Schema.type == "object")' }],
      },
      catalogue,
    ),
    [],
    'recursive types',
  );
});

t.test('long lists of unknown resources are fast', t => {
  const names = (letter: string, ...more: string[]) => [
    ...Array.from({ length: 10_000 }, (_, i) => `${letter}${i}`),
    ...more,
  ];
  const rule = {
    apiGroups: names('g', 'apps', ''),
    apiVersions: names('v', 'v1'),
    operations: ['*'],
    resources: names('r', 'deployments', 'pods', 'pods/status'),
  };
  const given = {
    matchConstraints: { resourceRules: [rule] },
    variables: names('v').map(name => ({ name, expression: '1' })),
    validations: [{ expression: 'object.none' }],
  };
  const [warning, ...others] = typeWarnings(given, catalogue);
  t.same(others, []);
  t.equal(warning?.fieldRef, 'spec.validations[0].expression');
  t.same(warning?.warning?.match(/Kind=\w+/g), ['Kind=Pod', 'Kind=Deployment']);
  t.end();
});

t.test('at most ten types are checked', t => {
  const rule = (apiGroups: string[]) => ({ apiGroups, apiVersions: ['v1'], operations: ['*'], resources: served });
  const served = [...catalogue.all()].map(({ plural }) => plural);
  const resourceRules = [rule(['']), rule(['apps'])];
  const [warning] = typeWarnings(
    { matchConstraints: { resourceRules }, validations: [{ expression: 'object.none' }] },
    catalogue,
  );
  t.equal(warning?.warning?.match(/\/v1, Kind=/g)?.length, 10);
  t.notMatch(warning?.warning, /apps/, 'further rules are ignored');
  t.end();
});
