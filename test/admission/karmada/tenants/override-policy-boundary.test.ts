/** What an OverridePolicy of a tenant may not change: the identity of objects. */
import t from 'tap';
import { overridePolicyBoundary } from '../../../../admission/karmada/tenants/override-policy-boundary.js';
import type { OverridePolicy, Overriders } from '../../../../api/karmada/types.js';
import type { AdmissionRequest } from '../../../../registry/admission-plugin.js';

type Plaintext = NonNullable<Overriders['plaintext']>[number];

const selector = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };

/** Returns a policy of the namespace `team` with these operations in its second rule. */
const policyOf = (operations: readonly Plaintext[], spec: Partial<OverridePolicy['spec']> = {}): OverridePolicy => ({
  ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'OverridePolicy', metadata: { namespace: 'team', name: 'o' } },
  spec: {
    resourceSelectors: [selector],
    overrideRules: [{ overriders: {} }, { overriders: { plaintext: [...operations] } }],
    ...spec,
  },
});

/** Returns what is wrong with a written policy; undefined if it is allowed. */
const fault = (object: OverridePolicy | undefined, old?: OverridePolicy): unknown =>
  overridePolicyBoundary({ object, old } as AdmissionRequest, () => Promise.resolve({ allowed: true, reason: '' }));

const replacing = (path: string, value?: unknown): Plaintext => ({
  ...{ path, operator: 'replace' },
  ...(value !== undefined && { value }),
});

t.test('a field of the identity may only be set to what the policy selects', async t => {
  const rows: readonly (readonly [name: string, Plaintext, changed: string | undefined])[] = [
    ['any other field', replacing('/spec/replicas', 3), undefined],
    ['a label with the name of a field', replacing('/metadata/labels/name', 'x'), undefined],
    ['the selected name', replacing('/metadata/name', 'web'), undefined],
    ['another name', replacing('/metadata/name', 'other'), 'name'],
    ['the selected kind', replacing('/kind', 'Deployment'), undefined],
    ['another kind', replacing('/kind', 'ClusterRole'), 'kind'],
    ['the selected version', replacing('/apiVersion', 'apps/v1'), undefined],
    ['another version', replacing('/apiVersion', 'v1'), 'apiVersion'],
    ['the own namespace', replacing('/metadata/namespace', 'team'), undefined],
    ['another namespace', replacing('/metadata/namespace', 'kube-system'), 'namespace'],
    ['no namespace', { path: '/metadata/namespace', operator: 'remove' }, 'namespace'],
    ['no name', { path: '/metadata/name', operator: 'remove' }, 'name'],
    [
      'a removal with a value, which does not count',
      { path: '/kind', operator: 'remove', value: 'Deployment' },
      'kind',
    ],
    ['an escaped path', replacing('/metadata/name~0', 'x'), undefined],
    ['the same metadata', replacing('/metadata', { name: 'web', namespace: 'team', labels: {} }), undefined],
    ['metadata with another name', replacing('/metadata', { name: 'other', namespace: 'team' }), 'name'],
    ['metadata without a namespace', replacing('/metadata', { name: 'web' }), 'namespace'],
    ['metadata that are no object', replacing('/metadata', ['web']), 'name'],
    ['no metadata', { path: '/metadata', operator: 'remove' }, 'name'],
    ['a name that is no text', replacing('/metadata/name', { name: 'web' }), 'name'],
  ];
  for (const [name, operation, changed] of rows) {
    const found = fault(policyOf([replacing('/spec/a', 1), operation]));
    if (changed === undefined) t.equal(found, undefined, name);
    else
      t.match(
        found,
        `the plaintext overrider with the path ${operation.path} changes the ${changed} of the object: an OverridePolicy may not`,
        name,
      );
  }
});

t.test('one selector must have the value, and a policy without selectors has none', async t => {
  const named = [replacing('/metadata/name', 'other')];
  t.equal(fault(policyOf(named, { resourceSelectors: [selector, { ...selector, name: 'other' }] })), undefined);
  const { resourceSelectors: _, ...rest } = policyOf(named).spec;
  t.match(fault({ ...policyOf(named), spec: rest }), /changes the name/);
});

t.test('the overriders beside the rules count, too', async t => {
  const overriders = { plaintext: [replacing('/kind', 'ClusterRole')] };
  t.match(fault(policyOf([], { overriders })), /changes the kind/);
});

t.test('only a change of the spec is checked', async t => {
  const bad = policyOf([replacing('/kind', 'ClusterRole')]);
  const annotated = { ...bad, metadata: { ...bad.metadata, annotations: { a: 'b' } } };
  t.equal(fault(annotated, bad), undefined, 'a policy from before the limit');
  t.match(fault(bad, policyOf([])), /changes the kind/);
  t.equal(fault(undefined, bad), undefined, 'a deletion');
});
