/** What a change of a binding charges to a quota. as pkg/webhook/resourcebinding addResourceLists and isAllowed */
import t from 'tap';
import { amountsOf } from '../../../../apimachinery/quantity/amounts.js';
import { parseQuantity, quantityText } from '../../../../apimachinery/quantity/quantity.js';
import type { ResourceList } from '../../../../api/karmada/types.js';
import { bindingUsage, usageChange } from '../../../../kinds/karmada/quota/binding-usage.js';
import { countedAmount, roundedAmount } from '../../../../kinds/karmada/quota/counted-amount.js';
import { chargeQuota } from '../../../../kinds/karmada/quota/quota-charge.js';

const quota = (overall: ResourceList, overallUsed?: ResourceList) => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'FederatedResourceQuota',
  metadata: { namespace: 'default', name: 'q' },
  spec: { overall },
  ...(overallUsed && { status: { overallUsed } }),
});

t.test('an amount is rounded away from zero to the unit in which Karmada counts', async t => {
  const table: [name: string, amount: string, rounded: string][] = [
    ['cpu', '100500u', '101m'],
    ['cpu', '-100500u', '-101m'],
    ['cpu', '1500m', '1500m'],
    ['memory', '100m', '1'],
    ['memory', '1Gi', '1Gi'],
    ['ephemeral-storage', '1500m', '2'],
    ['example.com/gpu', '1100m', '2'],
    ['pods', '0', '0'],
  ];
  for (const [name, amount, rounded] of table)
    t.equal(quantityText(roundedAmount(name, parseQuantity(amount))), rounded, `${name} ${amount}`);
  t.equal(countedAmount('gold', parseQuantity('1')), undefined, 'clusters do not count it');
});

t.test('what is used and what is added are each rounded before they are added', async t => {
  const table: { name: string; used?: ResourceList; change: ResourceList; expect: ResourceList }[] = [
    { name: 'both have fractions', used: { memory: '100m' }, change: { memory: '100m' }, expect: { memory: '2' } },
    { name: 'thousandths of CPU', used: { cpu: '500u' }, change: { cpu: '500u' }, expect: { cpu: '2m' } },
    { name: 'less is used', used: { memory: '2' }, change: { memory: '-1500m' }, expect: {} },
    { name: 'nothing is used yet', change: { memory: '100m', cpu: '1' }, expect: { cpu: '1', memory: '1' } },
    { name: 'whole amounts', used: { cpu: '1500m' }, change: { cpu: '500m' }, expect: { cpu: '2' } },
  ];
  for (const { name, used, change, expect } of table)
    t.strictSame(
      chargeQuota(quota({ cpu: '9', memory: '9' }, used), amountsOf(change)),
      { type: 'charged', used: expect },
      name,
    );
});

t.test('a sum of rounded amounts is compared with the limit', async t => {
  t.match(chargeQuota(quota({ memory: '1' }, { memory: '100m' }), amountsOf({ memory: '100m' })), {
    type: 'exceeded',
    message: 'FederatedResourceQuota(default/q) exceeded for resource memory: requested sum 2, limit 1.',
  });
});

t.test('the usage of a binding is exact', async t => {
  const usage = bindingUsage({
    resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' },
    replicaRequirements: { resourceRequest: { memory: '100m', cpu: '100500u' } },
    clusters: [
      { name: 'm1', replicas: 2 },
      { name: 'm2', replicas: 1 },
    ],
  });
  t.strictSame(chargeQuota(quota({ cpu: '9', memory: '9' }), usageChange(usage, new Map())), {
    type: 'charged',
    used: { cpu: '302m', memory: '1' },
  });
});
