import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { cloneJson } from '../../../../lib/json/clone.js';
import { notFound } from '../../../../apimachinery/errors/status.js';
import type { AccessPorts, Attributes } from '../../../../registry/access.js';
import type { ActionCall, StrategyContext } from '../../../../registry/interface.js';
import { withAccess } from '../../../../kinds/kubernetes/with-access.js';
import { definitionOf } from '../fault-table.js';
import { faultsFrom, rulesFor } from '../faults.js';

const group = 'admissionregistration.k8s.io';
const config = { apiVersion: 'v1', kind: 'ConfigMap' };
const policies = new Map<string, object>([
  ['known', { spec: { paramKind: config } }],
  ['strange', { spec: { paramKind: { apiVersion: 'a.b/v1', kind: 'C' } } }],
]);
const match = {
  ...{ matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} },
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'], scope: '*' }],
};
const policy = (paramKind: object | undefined): object => ({
  ...{ failurePolicy: 'Fail', matchConstraints: match, validations: [{ expression: 'true' }] },
  ...(paramKind && { paramKind }),
});
const binding = (policyName: string, paramRef: object): object => ({
  policyName,
  validationActions: ['Deny'],
  paramRef: { ...paramRef, parameterNotFoundAction: 'Deny' },
});

interface Case {
  readonly name: string;
  readonly kind: string;
  readonly spec: object;
  readonly old?: object;
  readonly groups?: readonly string[];
  /** The authorization checks that are made, as `verb group/version/resource namespace/name`. */
  readonly asked: readonly string[];
  readonly expect: readonly string[];
}

const jane = '&{jane u [g] map[k:[v w]]}';
const minimum = `to determine minimum required permissions and user ${jane} does not have "get" permission for all groups, versions and resources`;
const kind = 'ValidatingAdmissionPolicy';
const bound = 'ValidatingAdmissionPolicyBinding';
const cases: readonly Case[] = [
  { name: 'no parameters', kind, spec: policy(undefined), asked: [], expect: [] },
  {
    name: 'parameters that cannot be read',
    ...{ kind, spec: policy(config), asked: ['get /v1/configmaps */*'] },
    expect: [
      `spec.paramKind: Forbidden: user ${jane} must have "get" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)`,
    ],
  },
  { name: 'a superuser', kind, spec: policy(config), groups: ['system:masters'], asked: [], expect: [] },
  { name: 'the same parameters as before', kind, spec: policy(config), old: policy(config), asked: [], expect: [] },
  {
    name: 'an unknown kind and another fault',
    ...{
      kind,
      spec: { ...policy({ apiVersion: 'a.b/v1', kind: 'C' }), failurePolicy: 'X' },
      asked: ['get a.b/v1/* */*'],
    },
    expect: ['spec.failurePolicy: Unsupported value: "X": supported values: "Fail", "Ignore"'],
  },
  {
    name: 'a binding',
    ...{ kind: bound, spec: binding('known', { name: 'p', namespace: 's' }), asked: ['get /v1/configmaps s/p'] },
    expect: [
      `spec.paramRef: Forbidden: user ${jane} does not have "get" permission on the object referenced by paramRef`,
    ],
  },
  {
    name: 'a binding to all parameters',
    ...{ kind: bound, spec: binding('known', { selector: {} }), asked: ['list /v1/configmaps /'] },
    expect: [
      `spec.paramRef: Forbidden: user ${jane} does not have "list" permission on the object referenced by paramRef`,
    ],
  },
  {
    name: 'a binding to a policy that does not exist',
    ...{ kind: bound, spec: binding('none', { name: 'p' }), asked: ['get */*/* /p'] },
    expect: [`spec.paramRef: Forbidden: unable to get policy none ${minimum}`],
  },
  {
    name: 'a binding to an unknown kind',
    ...{ kind: bound, spec: binding('strange', { name: 'p' }), asked: ['get a.b/v1/* /p'] },
    expect: [`spec.paramRef: Forbidden: unable to resolve paramKind &{a.b/v1 C} ${minimum}`],
  },
];

t.test('a policy with parameters is accepted if the user may read the parameters', async t => {
  for (const { name, kind, spec, old, groups = ['g'], asked, expect } of cases) {
    const questions: string[] = [];
    const authorize = (_user: unknown, attributes: Attributes): { allowed: boolean; reason: string } => {
      if (attributes.type === 'resource') {
        const { verb, group, version, resource, namespace, name } = attributes;
        questions.push(`${verb} ${group}/${version}/${resource} ${namespace}/${name}`);
      }
      return { allowed: false, reason: '' };
    };
    const [definition] = withAccess(
      [definitionOf(group, kind)],
      { authorize } as unknown as AccessPorts,
      () => new Date(),
    );
    const objectOf = (spec: object): KubeObject =>
      cloneJson({ apiVersion: `${group}/v1`, kind, metadata: { name: 'n' }, spec });
    const [draft, before] = [objectOf(spec), old && objectOf(old)];
    const user = { name: 'jane', uid: 'u', groups, extra: { k: ['v', 'w'] } };
    const client = {
      get: (_resource: unknown, { name }: { name: string }) => {
        const found = policies.get(name);
        return found ? Promise.resolve(found) : Promise.reject(notFound({ group, resource: 'x' }, name));
      },
      mapper: {
        forKind: async ({ group }: { group: string }) => (group === '' ? { resource: 'configmaps' } : undefined),
      },
    };
    await definition?.strategy.begin?.(draft, before, { user, client } as unknown as ActionCall);
    if (!definition) throw new Error(`no kind ${kind}`);
    const rules = rulesFor(definition.strategy, before ? 'update' : 'create');
    const faults = await faultsFrom(rules, draft, before, { user } as unknown as StrategyContext);
    t.strictSame(
      faults.map(({ path, message }) => `${path}: ${message}`),
      expect,
      name,
    );
    t.strictSame(questions, asked, `${name}: questions`);
  }
});
