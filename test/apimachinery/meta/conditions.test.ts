import t from 'tap';
import { holds } from '../../../apimachinery/meta/conditions.js';

t.test('whether a condition holds', async t => {
  const cases: { name: string; given: Parameters<typeof holds>[0]; expect: boolean }[] = [
    {
      name: 'at True',
      given: [
        { type: 'Other', status: 'False' },
        { type: 'Ready', status: 'True' },
      ],
      expect: true,
    },
    { name: 'not at Unknown', given: [{ type: 'Ready', status: 'Unknown' }], expect: false },
    { name: 'not when another does', given: [{ type: 'Other', status: 'True' }], expect: false },
    { name: 'not when it is no text', given: [{ type: 'Ready', status: true }], expect: false },
    { name: 'not when there are none', given: undefined, expect: false },
  ];
  for (const { name, given, expect } of cases) t.equal(holds(given, 'Ready'), expect, name);
});
