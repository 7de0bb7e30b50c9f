/** What estimators refuse in a question of any client. */
import t from 'tap';
import type { ReplicaRequirements } from '../../../api/karmada/types.js';
import { parseJson } from '../../../lib/json/json.js';
import {
  componentsFault,
  requirementsFault,
  withAmountTexts,
} from '../../../scheduler/estimators/requirement-faults.js';

t.test('requirements that cannot be read are refused with their place', async t => {
  const claimFault = 'q.nodeClaim: want a nodeSelector, a hardNodeAffinity and tolerations at most';
  const fieldFault = 'q: want a resourceRequest, a nodeClaim, a namespace and a priorityClassName at most';
  const term = (expression: object) => ({
    nodeClaim: { hardNodeAffinity: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } },
  });
  const table: { name: string; given: unknown; expect: string | undefined }[] = [
    { name: 'nothing asked for', given: {}, expect: undefined },
    { name: 'no object', given: [], expect: 'q: want an object' },
    { name: 'null', given: null, expect: 'q: want an object' },
    {
      name: 'all fields',
      given: { namespace: 'n', priorityClassName: 'p', resourceRequest: { cpu: '1' } },
      expect: undefined,
    },
    { name: 'another field', given: { node: 'n' }, expect: fieldFault },
    { name: 'an inherited name', given: { constructor: 'n' }, expect: fieldFault },
    { name: 'a namespace that is no text', given: { namespace: 1 }, expect: fieldFault },
    { name: 'amounts as numbers', given: { resourceRequest: { cpu: 1, memory: 2n } }, expect: undefined },
    {
      name: 'amounts in a list',
      given: { resourceRequest: ['1'] },
      expect: 'q.resourceRequest: want quantities by resource',
    },
    {
      name: 'an amount of no type',
      given: { resourceRequest: { cpu: true } },
      expect: 'q.resourceRequest.cpu: want a quantity',
    },
    { name: 'a selector', given: { nodeClaim: { nodeSelector: { disk: 'ssd' } } }, expect: undefined },
    { name: 'a selector of numbers', given: { nodeClaim: { nodeSelector: { disk: 1 } } }, expect: claimFault },
    { name: 'a term', given: term({ key: 'a', operator: 'In', values: ['b'] }), expect: undefined },
    {
      name: 'a term with a text as values',
      given: term({ key: 'a', operator: 'In', values: 'b' }),
      expect: claimFault,
    },
    {
      name: 'a toleration',
      given: { nodeClaim: { tolerations: [{ key: 'a', tolerationSeconds: 3 }] } },
      expect: undefined,
    },
    { name: 'one for 1.5 s', given: { nodeClaim: { tolerations: [{ tolerationSeconds: 1.5 }] } }, expect: claimFault },
    { name: 'tolerations as a map', given: { nodeClaim: { tolerations: {} } }, expect: claimFault },
  ];
  for (const { name, given, expect } of table) t.equal(requirementsFault('q', given), expect, name);
  t.match(requirementsFault('q', { resourceRequest: { cpu: '1x' } }), /^q\.resourceRequest\.cpu: /, 'no quantity');
});

t.test('components are refused with the index of the first bad one', async t => {
  const list = 'c: want a list of components with replicas';
  const table: { name: string; given: unknown; expect: string | undefined }[] = [
    { name: 'none', given: [], expect: undefined },
    {
      name: 'one',
      given: [{ name: 'a', replicas: 2, replicaRequirements: { resourceRequest: { cpu: '1' } } }],
      expect: undefined,
    },
    { name: 'no list', given: {}, expect: list },
    { name: 'no replicas', given: [{ name: 'a' }], expect: list },
    { name: 'a part of a replica', given: [{ replicas: 0.5 }], expect: list },
    { name: 'less than none', given: [{ replicas: -1 }], expect: list },
    { name: 'more than an int32 holds', given: [{ replicas: 2_147_483_648 }], expect: list },
    { name: 'the most', given: [{ replicas: 2_147_483_647 }], expect: undefined },
    {
      name: 'the second is bad',
      given: [{ replicas: 1 }, { replicas: 1, replicaRequirements: { namespace: 1 } }],
      expect:
        'c[1].replicaRequirements: want a resourceRequest, a nodeClaim, a namespace and a priorityClassName at most',
    },
  ];
  for (const { name, given, expect } of table) t.equal(componentsFault('c', given), expect, name);
});

t.test('amounts become texts', async t => {
  const text = '{"namespace":"n","resourceRequest":{"cpu":1,"memory":9007199254740993,"pods":"2"}}';
  t.same(withAmountTexts(parseJson(text) as ReplicaRequirements), {
    ...{ namespace: 'n', resourceRequest: { cpu: '1', memory: '9007199254740993', pods: '2' } },
  });
  const without = { namespace: 'n' };
  t.equal(withAmountTexts(without), without);
});
