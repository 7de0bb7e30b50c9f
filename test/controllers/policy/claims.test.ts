/** The claims of policies on templates and bindings. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Policy } from '../../../api/karmada/types.js';
import { annotations, labels } from '../../../api/karmada/well-known.js';
import { type Claim, claimedBy, claimOf, dropClaim, policyIds, putClaim } from '../../../controllers/policy/claim.js';

const template = (
  marks: { labels?: Record<string, string>; annotations?: Record<string, string> } = {},
): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap' },
  metadata: { namespace: 'n', name: 'a', ...marks },
});
const own: Claim = { kind: 'PropagationPolicy', namespace: 'n', name: 'p', id: '1' };
const wide: Claim = { kind: 'ClusterPropagationPolicy', namespace: '', name: 'c', id: '2' };
const marked = (...claims: readonly Claim[]): KubeObject => {
  const draft = template();
  for (const claim of claims) putClaim(draft, claim);
  return draft;
};

t.test('the claim of a policy has its name and permanent id', async t => {
  const policy = (kind: string, metadata: object): Policy => ({
    ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind, metadata: { name: 'p', ...metadata } },
    spec: { resourceSelectors: [] },
  });
  t.strictSame(
    claimOf(policy('PropagationPolicy', { namespace: 'n', labels: { [labels.propagationPolicyId]: '1' } })),
    own,
  );
  t.strictSame(
    claimOf(policy('ClusterPropagationPolicy', { name: 'c', labels: { [labels.clusterPropagationPolicyId]: '2' } })),
    wide,
  );
  t.strictSame(
    claimOf(policy('PropagationPolicy', { namespace: 'n' })),
    { ...own, id: '' },
    'an id that is not there yet',
  );
});

t.test('a claim is read as it was written', async t => {
  t.strictSame(claimedBy(marked(own)), own);
  t.strictSame(claimedBy(marked(wide)), wide);
  t.equal(claimedBy(template()), undefined);
  t.strictSame(policyIds(marked(own).metadata.labels), ['1']);
  t.strictSame(policyIds(marked(wide).metadata.labels), ['2']);
  t.strictSame(policyIds(template().metadata.labels), []);
});

t.test('a claim with missing fields is ignored', async t => {
  const whole = marked(own).metadata;
  for (const key of Object.keys(whole.annotations ?? {})) {
    const { [key]: _, ...rest } = whole.annotations ?? {};
    t.equal(claimedBy(template({ labels: { ...whole.labels }, annotations: rest })), undefined, `without ${key}`);
  }
  t.equal(claimedBy(template({ annotations: { ...whole.annotations } })), undefined, 'without the id');
  t.equal(claimedBy(template({ annotations: { [annotations.clusterPropagationPolicyName]: 'c' } })), undefined);
});

t.test('the claim of a policy replaces that of a cluster policy, never the other way round', async t => {
  t.strictSame(claimedBy(marked(wide, own)), own);
  t.strictSame(policyIds(marked(wide, own).metadata.labels), ['1'], 'the claim of the cluster policy is removed');
  t.strictSame(claimedBy(marked(own, wide)), own);
  t.strictSame(policyIds(marked(own, wide).metadata.labels), ['1', '2']);
});

t.test('only exactly this claim is removed', async t => {
  const draft = marked(own);
  dropClaim(draft, { ...own, id: 'another' });
  t.strictSame(claimedBy(draft), own, 'a new policy with the same name');
  dropClaim(draft, wide);
  t.strictSame(claimedBy(draft), own, 'a policy of another kind');
  dropClaim(draft, own);
  t.strictSame(draft.metadata, { ...template().metadata, labels: {}, annotations: {} });
  dropClaim(draft, own);
  t.equal(claimedBy(draft), undefined, 'a second removal changes nothing');
});
