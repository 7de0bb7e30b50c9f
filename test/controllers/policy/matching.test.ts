import t from 'tap';
import { choosePolicy } from '../../../controllers/policy/choose.js';
import type { Policy } from '../../../api/karmada/types.js';

t.test('one of several matching policies is chosen', async t => {
  const template = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', labels: { a: 'b' } } };
  const policy = (name: string, priority: number, selector: object, deleted = false): Policy => ({
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'PropagationPolicy',
    metadata: { name, ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    spec: { priority, resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', ...selector }] },
  });
  const labelled = { labelSelector: { matchLabels: { a: 'b' } } };
  const table: { name: string; given: Policy[]; expect: string | undefined }[] = [
    { name: 'none matches', given: [policy('p', 0, { name: 'other' })], expect: undefined },
    { name: 'priority first', given: [policy('a', 1, { name: 'c' }), policy('b', 2, {})], expect: 'b' },
    {
      name: 'then the closest match',
      given: [policy('a', 0, {}), policy('b', 0, labelled), policy('c', 0, { name: 'c' })],
      expect: 'c',
    },
    { name: 'then the first name', given: [policy('b', 0, {}), policy('a', 0, {}), policy('c', 0, {})], expect: 'a' },
    { name: 'not a terminating policy', given: [policy('a', 9, {}, true), policy('b', 0, {})], expect: 'b' },
  ];
  for (const { name, given, expect } of table) t.equal(choosePolicy(given, template)?.metadata.name, expect, name);
});
