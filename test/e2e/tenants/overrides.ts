import type { Test } from 'tap';
import { until } from '../../storage/until.js';
import { apply, bindings, conditionOf, core, jsonPatch, merge, policies, type World } from './world.js';

interface Row {
  readonly name: string;
  readonly overriders: object | string;
  /** Whether admission recognises the escape: it refuses the policy, or warns of it. */
  readonly isRefused: boolean;
  /** The path of the object in the member if there are no boundaries. */
  readonly reaches?: string;
}

const system = '/api/v1/namespaces/kube-system/configmaps';
const moved = (name: string): object => ({ name, namespace: 'kube-system' });
const plaintext = (...operations: object[]): object => ({ plaintext: operations });
const replace = (path: string, value: unknown): object => ({ path, operator: 'replace', value });

const escapes: readonly Row[] = [
  {
    name: 'namespace',
    overriders: plaintext(replace('/metadata/namespace', 'kube-system')),
    isRefused: true,
    reaches: `${system}/namespace`,
  },
  {
    name: 'namespace-added',
    overriders: plaintext({ path: '/metadata/namespace', operator: 'add', value: 'kube-system' }),
    isRefused: true,
    reaches: `${system}/namespace-added`,
  },
  {
    name: 'pointer-without-slash',
    overriders: plaintext(replace('x/metadata/namespace', 'kube-system')),
    isRefused: true,
    reaches: `${system}/pointer-without-slash`,
  },
  { name: 'no-namespace', overriders: plaintext({ path: '/metadata/namespace', operator: 'remove' }), isRefused: true },
  {
    name: 'other-name',
    overriders: plaintext(replace('/metadata/name', 'renamed')),
    isRefused: true,
    reaches: '/api/v1/namespaces/a/configmaps/renamed',
  },
  {
    name: 'other-kind',
    overriders: plaintext(replace('/kind', 'Secret')),
    isRefused: true,
    reaches: '/api/v1/namespaces/a/secrets/other-kind',
  },
  {
    name: 'cluster-role',
    overriders: plaintext(
      replace('/apiVersion', 'rbac.authorization.k8s.io/v1'),
      replace('/kind', 'ClusterRole'),
      { path: '/metadata/namespace', operator: 'remove' },
      { path: '/data', operator: 'remove' },
      { path: '/rules', operator: 'add', value: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] },
    ),
    isRefused: true,
    reaches: '/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-role',
  },
  {
    name: 'metadata',
    overriders: plaintext(replace('/metadata', moved('metadata'))),
    isRefused: true,
    reaches: `${system}/metadata`,
  },
  {
    name: 'root',
    overriders: plaintext(replace('', { apiVersion: 'v1', kind: 'ConfigMap', metadata: moved('root') })),
    isRefused: false,
    reaches: `${system}/root`,
  },
  {
    name: 'list',
    overriders: plaintext(
      replace('', { apiVersion: 'v1', kind: 'List', items: [{ kind: 'Secret', metadata: moved('list') }] }),
    ),
    isRefused: false,
  },
  {
    name: 'inherited',
    overriders:
      '{"plaintext":[{"path":"","operator":"replace","value":{"apiVersion":"v1","kind":"ConfigMap",' +
      '"metadata":{"__proto__":{"name":"inherited","namespace":"a"}}}}]}',
    isRefused: false,
  },
  {
    name: 'by-image',
    overriders: {
      imageOverrider: [
        {
          predicate: { path: '/metadata/namespace' },
          component: 'Repository',
          operator: 'replace',
          value: 'kube-system',
        },
      ],
    },
    isRefused: false,
    reaches: `${system}/by-image`,
  },
  {
    name: 'by-field',
    overriders: {
      fieldOverrider: [
        {
          fieldPath: '/metadata/namespace',
          yaml: [{ subPath: '', operator: 'replace', value: { kube: 'system' } }],
        },
      ],
    },
    isRefused: false,
  },
];

/** Returns a ConfigMap. Its value is base64, so that it is valid in a Secret as well. */
const configMap = (name: string): object => ({ metadata: { name }, data: { whose: 'ZXZl' } });
const selector = (name: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', name });
const policyType = (kind: string): object => ({ apiVersion: 'policy.karmada.io/v1alpha1', kind });
const propagation = (name: string): object => ({
  ...policyType('PropagationPolicy'),
  metadata: { name },
  spec: { resourceSelectors: [selector(name)], placement: { clusterAffinity: { clusterNames: ['member1'] } } },
});

/** Returns an override policy as JSON text, since overriders may have a key that an object literal cannot. */
function overridePolicy(name: string, overriders: object | string, rules = false): string {
  const text = typeof overriders === 'string' ? overriders : JSON.stringify(overriders);
  const which = rules ? `"overrideRules":[{"overriders":${text}}]` : `"overriders":${text}`;
  const selectors = JSON.stringify([selector(name)]);
  return (
    '{"apiVersion":"policy.karmada.io/v1alpha1","kind":"OverridePolicy",' +
    `"metadata":{"name":"${name}"},"spec":{"resourceSelectors":${selectors},${which}}}`
  );
}

async function propagate({ ask }: World, user: string, name: string): Promise<void> {
  for (const [path, body] of [
    [`${core('a')}/configmaps`, configMap(name)],
    [`${policies('a')}/propagationpolicies`, propagation(name)],
  ] as const) {
    const { status, json } = await ask(user, `POST ${path}`, { body });
    if (status !== 201) throw new Error(JSON.stringify(json));
  }
}

const hint = /an OverridePolicy may not change the apiVersion, kind, name or namespace.*ClusterOverridePolicy/;

/** Checks that a refused override is reported by a condition of the binding, and Events of the binding and the template. */
async function isReported(t: Test, { ask }: World, name: string): Promise<void> {
  let condition: ReturnType<typeof conditionOf>;
  await until(`the binding of ${name} says so`, async () => {
    const { json } = await ask('eve', `GET ${bindings('a')}/${name}-configmap`);
    condition = conditionOf(json, 'OverridesAccepted');
    return condition !== undefined;
  });
  t.match(condition, { status: 'False', reason: 'TenantBoundaryCrossed', message: hint }, `${name}: condition`);
  await until(`Events say so of ${name}`, async () => (await eventsOf(ask, name)).length >= 2);
}

async function eventsOf(ask: World['ask'], name: string): Promise<{ message: string }[]> {
  const { json } = await ask('eve', `GET ${core('a')}/events`);
  return (json.items as { reason: string; message: string; involvedObject: { name: string } }[]).filter(
    ({ reason, message, involvedObject }) =>
      reason === 'TenantBoundaryCrossed' && involvedObject.name.startsWith(name) && hint.test(message),
  );
}

async function checkEscape(t: Test, world: World, { name, overriders, isRefused, reaches }: Row): Promise<void> {
  const { mode, ask, inMember } = world;
  const path = `${policies('a')}/overridepolicies`;
  const body = overridePolicy(name, overriders);
  if (isRefused && mode !== 'off') {
    for (const query of ['?dryRun=All', ''] as const) {
      const { status, json, warnings } = await ask('eve', `POST ${path}${query}`, { body });
      if (mode === 'enforce') {
        t.equal(status, 403, `${name}${query}: refused`);
        t.match(json.message, hint, `${name}${query}: the message has a hint`);
      } else {
        t.equal(status, 201, `${name}${query}: passes`);
        t.match(warnings.join(), hint, `${name}${query}: the warning has a hint`);
      }
    }
    if (mode === 'enforce') return;
  } else {
    const { status, json, warnings } = await ask('eve', `POST ${path}`, { body });
    t.equal(status, 201, `${name}: ${json.message}`);
    t.same(warnings, [], name);
  }
  await propagate(world, 'eve', name);
  if (mode === 'enforce') {
    await isReported(t, world, name);
    t.equal(await inMember(`/api/v1/namespaces/a/configmaps/${name}`), undefined, `${name}: not applied`);
    if (reaches) t.equal(await inMember(reaches), undefined, `${name}: not applied elsewhere`);
    return;
  }
  if (reaches) await until(`${name} is at ${reaches}`, async () => (await inMember(reaches)) !== undefined);
  if (mode === 'warn') await until(`Events say so of ${name}`, async () => (await eventsOf(ask, name)).length >= 2);
}

/** Checks all ways in which an override could turn an object into another one. */
export async function checkEscapes(t: Test, world: World): Promise<void> {
  for (const row of escapes) await checkEscape(t, world, row);
}

const innocent = plaintext(replace('/data/whose', 'nobody'));

/** Checks updates of existing policies by all kinds of writes. */
export async function checkUpdates(t: Test, { ask, mode }: World): Promise<void> {
  const collection = `${policies('a')}/overridepolicies`;
  const made = await ask('eve', `POST ${collection}`, { body: overridePolicy('grows', innocent) });
  t.equal(made.status, 201);
  const path = `${collection}/grows`;
  const evil = plaintext(replace('/metadata/namespace', 'kube-system'));
  const changes = [
    { what: 'PUT', body: { ...made.json, spec: { ...made.json.spec, overriders: evil } } },
    { what: 'PATCH', type: merge, body: { spec: { overriders: evil } } },
    { what: 'PATCH', type: jsonPatch, body: [{ op: 'replace', path: '/spec/overriders', value: evil }] },
    { what: 'PATCH', type: merge, body: { spec: { overriders: null, overrideRules: [{ overriders: evil }] } } },
    {
      what: 'PATCH',
      type: apply,
      query: '&fieldManager=test&force=true',
      body: overridePolicy('grows', evil),
    },
  ];
  for (const { what, type, body, query = '' } of changes) {
    const { status, warnings } = await ask('eve', `${what} ${path}?dryRun=All${query}`, {
      body,
      ...(type && { type }),
    });
    const about = `${what} ${type ?? ''}`;
    t.equal(status, mode === 'enforce' ? 403 : 200, about);
    t.equal(hint.test(warnings.join()), mode === 'warn', `${about}: warning`);
  }
  const applied = await ask('eve', `PATCH ${collection}/fresh?fieldManager=test&dryRun=All`, {
    type: apply,
    body: overridePolicy('fresh', evil, true),
  });
  t.equal(applied.status, mode === 'enforce' ? 403 : 201, 'server-side apply of a new policy with overrideRules');
}

/** Checks that policies work within their namespace, and that administrators are not limited. */
export async function checkAllowed(t: Test, world: World): Promise<void> {
  const { ask, inMember } = world;
  await ask('eve', `POST ${policies('a')}/overridepolicies`, { body: overridePolicy('plain', innocent) });
  await propagate(world, 'eve', 'plain');
  const member = '/api/v1/namespaces/a/configmaps';
  await until('it is overridden', async () => (await inMember(`${member}/plain`))?.data['whose'] === 'nobody');

  const { status, json } = await ask('admin', 'POST /apis/policy.karmada.io/v1alpha1/clusteroverridepolicies', {
    body: {
      ...policyType('ClusterOverridePolicy'),
      metadata: { name: 'by-admin' },
      spec: {
        resourceSelectors: [{ ...selector('by-admin'), namespace: 'a' }],
        overrideRules: [{ overriders: plaintext(replace('/metadata/namespace', 'kube-system')) }],
      },
    },
  });
  t.equal(status, 201, `${json.message}`);
  await propagate(world, 'eve', 'by-admin');
  await until('an administrator moves it', async () => (await inMember(`${system}/by-admin`)) !== undefined);
}

/** Checks that the binding is applied, and its condition is true, when the refused override is deleted. */
export async function checkRecovery(t: Test, world: World): Promise<void> {
  const { ask, inMember } = world;
  const { status } = await ask('eve', `DELETE ${policies('a')}/overridepolicies/root`);
  t.equal(status, 200);
  await until('it is applied', async () => (await inMember('/api/v1/namespaces/a/configmaps/root')) !== undefined);
  await until('the condition follows', async () => {
    const { json } = await ask('eve', `GET ${bindings('a')}/root-configmap`);
    return conditionOf(json, 'OverridesAccepted')?.status === 'True';
  });
}
