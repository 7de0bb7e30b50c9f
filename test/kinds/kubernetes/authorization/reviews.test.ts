import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { StatusError } from '../../../../apimachinery/errors/status.js';
import type { AccessPorts, Attributes } from '../../../../registry/access.js';
import type { ActionCall } from '../../../../registry/interface.js';
import { nativeDefinitions } from '../../../../kinds/kubernetes/native.js';
import { withAccess } from '../../../../kinds/kubernetes/with-access.js';
import { turnsDuring } from '../../../turns.js';

const asked: Attributes[] = [];
const ports: AccessPorts = {
  authorize: (_user, attributes) => {
    asked.push(attributes);
    return { allowed: false, denied: true, reason: 'because' };
  },
  refusalText: () => '',
  rulesFor: () => ({
    rules: [
      { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: [] },
      { verbs: ['get'], nonResourceURLs: ['/x'] },
    ],
    incomplete: true,
    errors: ['a', 'b', 'a'],
  }),
  reviewToken: async (token, audiences) =>
    token === 'good'
      ? { identity: { name: 'jane', groups: ['g'], uid: '1', extra: { k: ['v'] } }, audiences }
      : { error: 'invalid bearer token' },
  issueToken: order => JSON.stringify(order),
  audiences: ['me'],
  maxTokenSeconds: 1000,
  requestFault: () => undefined,
  certificateFault: () => undefined,
};
const now = new Date('2026-01-02T03:04:05Z');
const definitions = withAccess(nativeDefinitions(), ports, () => now);

function reviewed(kind: string, spec: object, metadata: object = {}, among = definitions): Promise<KubeObject> {
  const definition = among.find(one => one.kind === kind);
  if (definition?.review === undefined) throw new Error(kind);
  const call = { user: { name: 'bob', groups: [] }, namespace: 'ns', dryRun: false, warn: () => undefined };
  const object = {
    apiVersion: `${definition.group}/v1`,
    kind,
    metadata,
    ...(kind !== 'SelfSubjectReview' && { spec }),
  };
  return definition.review(call as unknown as ActionCall, object);
}

async function refused(kind: string, spec: object, metadata: object = {}): Promise<string> {
  try {
    await reviewed(kind, spec, metadata);
    return 'allowed';
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
}

const get = { verb: 'get', resource: 'pods' };

t.test('invalid reviews are refused', async t => {
  const invalid = (text: string): string => `422 .authorization.k8s.io "" is invalid: ${text}`;
  const attributes = 'spec.resourceAttributes';
  const table: readonly [string, object, object, string][] = [
    [
      'SubjectAccessReview',
      { user: 'u', resourceAttributes: get },
      { name: 'x' },
      invalid('metadata: Invalid value: {"name":"x"}: must be empty'),
    ],
    ['SubjectAccessReview', { groups: ['g'], resourceAttributes: get }, { managedFields: [{}] }, 'allowed'],
    [
      'LocalSubjectAccessReview',
      { user: 'u', resourceAttributes: { ...get, namespace: 'other' } },
      { namespace: 'ns' },
      invalid(`${attributes}.namespace: Invalid value: "other": must match metadata.namespace`),
    ],
    [
      'LocalSubjectAccessReview',
      { user: 'u', nonResourceAttributes: { path: '/x', verb: 'get' } },
      { namespace: 'ns' },
      invalid(
        'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: disallowed on this kind of request',
      ),
    ],
    [
      'LocalSubjectAccessReview',
      { user: 'u', resourceAttributes: { ...get, namespace: 'ns' } },
      { namespace: 'ns', name: 'x' },
      invalid('metadata: Invalid value: {"namespace":"ns","name":"x"}: must be empty except for namespace'),
    ],
    [
      'LocalSubjectAccessReview',
      { user: 'u', resourceAttributes: { ...get, namespace: 'elsewhere' } },
      { namespace: 'elsewhere' },
      '400 spec.resourceAttributes.namespace must match namespace: ns',
    ],
    [
      'SelfSubjectAccessReview',
      {},
      {},
      invalid(
        `${attributes}: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified`,
      ),
    ],
    [
      'SelfSubjectAccessReview',
      {
        resourceAttributes: {
          ...get,
          labelSelector: { rawSelector: 'a', requirements: [{ key: 'a', operator: 'Exists' }] },
        },
      },
      {},
      invalid(
        `${attributes}.labelSelector.rawSelector: Invalid value: "a": may not specified at the same time as requirements`,
      ),
    ],
    [
      'SelfSubjectAccessReview',
      { resourceAttributes: { ...get, fieldSelector: {} } },
      {},
      invalid(
        `${attributes}.fieldSelector.requirements: Required value: when ${attributes}.fieldSelector is specified, requirements or rawSelector is required`,
      ),
    ],
    [
      'SelfSubjectAccessReview',
      { resourceAttributes: { ...get, fieldSelector: { requirements: [{ key: '', operator: 'In' }] } } },
      {},
      invalid(
        `[${attributes}.fieldSelector.requirements[0].key: Required value: must be specified, ${attributes}.fieldSelector.requirements[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn']`,
      ),
    ],
    ['SelfSubjectRulesReview', {}, {}, '400 no namespace on request'],
    ['TokenReview', {}, {}, '400 token is required for TokenReview in authentication'],
  ];
  for (const [kind, spec, metadata, expect] of table)
    t.equal(await refused(kind, spec, metadata), expect, `${kind} ${JSON.stringify(spec)}`);
});

t.test('reviews ask the authorizer for the given attributes', async t => {
  const base = {
    type: 'resource',
    verb: 'get',
    group: '',
    version: '*',
    resource: 'pods',
    subresource: '',
    namespace: '',
    name: '',
  };
  const all = { verb: 'get', group: 'g', version: 'v', resource: 'r', subresource: 's', namespace: 'n', name: 'x' };
  const selected = (labelSelector: object, fieldSelector: object) => ({ ...get, labelSelector, fieldSelector });
  const table: readonly [object, object, string | undefined][] = [
    [{ resourceAttributes: get }, base, undefined],
    [{ resourceAttributes: all }, { type: 'resource', ...all }, undefined],
    [{ nonResourceAttributes: { path: '/x', verb: 'get' } }, { type: 'path', verb: 'get', path: '/x' }, undefined],
    [
      { resourceAttributes: selected({ rawSelector: 'b,a=1' }, { rawSelector: 'spec.x=1,y!=2' }) },
      { ...base, labelSelector: 'a=1,b', fieldSelector: 'spec.x=1,y!=2' },
      undefined,
    ],
    [
      {
        resourceAttributes: selected(
          {
            requirements: [
              { key: 'a', operator: 'In', values: ['1', '2'] },
              { key: 'b', operator: 'Like' },
            ],
          },
          {
            requirements: [
              { key: 'x', operator: 'In', values: ['1'] },
              { key: 'y', operator: 'NotIn', values: ['2'] },
            ],
          },
        ),
      },
      { ...base, labelSelector: 'a in (1,2)', fieldSelector: 'x=1,y!=2' },
      'spec.resourceAttributes.labelSelector partially ignored due to parse error',
    ],
    [
      { resourceAttributes: selected({ rawSelector: '!!' }, { requirements: [{ key: 'x', operator: 'Exists' }] }) },
      base,
      'spec.resourceAttributes.fieldSelector ignored due to parse error; spec.resourceAttributes.labelSelector ignored due to parse error',
    ],
  ];
  for (const [spec, expect, error] of table) {
    asked.length = 0;
    const { status } = await reviewed('SelfSubjectAccessReview', spec);
    t.same(asked, [expect]);
    t.same(status, { allowed: false, denied: true, reason: 'because', ...(error && { evaluationError: error }) });
  }
});

t.test('reviews return the decision in their status', async t => {
  t.same(await reviewed('SelfSubjectRulesReview', { namespace: 'x' }, { managedFields: [{}] }), {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectRulesReview',
    metadata: {},
    spec: {},
    status: {
      resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
      nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
      incomplete: true,
      evaluationError: '[a, b]',
    },
  });
  t.same((await reviewed('TokenReview', { token: 'good', audiences: ['a'] })).status, {
    authenticated: true,
    user: { username: 'jane', uid: '1', groups: ['g'], extra: { k: ['v'] } },
    audiences: ['a'],
  });
  t.same((await reviewed('TokenReview', { token: 'bad' })).status, { user: {}, error: 'invalid bearer token' });
  t.same(await reviewed('SelfSubjectReview', {}), {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'SelfSubjectReview',
    metadata: { creationTimestamp: '2026-01-02T03:04:05Z' },
    status: { userInfo: { username: 'bob' } },
  });
});

t.test('a hundred thousand rules are listed in several turns of the event loop', async t => {
  const rules = Array.from({ length: 140_000 }, (_, i) => ({ verbs: ['get'], apiGroups: [''], resources: [`r${i}`] }));
  const rulesFor = () => ({ rules, errors: [], incomplete: false });
  const all = withAccess(nativeDefinitions(), { ...ports, rulesFor }, () => now);
  const { longest } = await turnsDuring(50, () => reviewed('SelfSubjectRulesReview', { namespace: 'a' }, {}, all));
  t.ok(longest < 50, `${longest} ms`);
});
