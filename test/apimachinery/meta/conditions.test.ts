import t from 'tap';
import { isConditionTrue } from '../../../apimachinery/meta/conditions.js';

t.test('a condition is true only with status True', async t => {
  const cases: { name: string; given: Parameters<typeof isConditionTrue>[0]; expect: boolean }[] = [
    {
      name: 'status True',
      given: [
        { type: 'Other', status: 'False' },
        { type: 'Ready', status: 'True' },
      ],
      expect: true,
    },
    { name: 'status Unknown', given: [{ type: 'Ready', status: 'Unknown' }], expect: false },
    { name: 'another type', given: [{ type: 'Other', status: 'True' }], expect: false },
    { name: 'a status that is not a string', given: [{ type: 'Ready', status: true }], expect: false },
    { name: 'no conditions', given: undefined, expect: false },
  ];
  for (const { name, given, expect } of cases) t.equal(isConditionTrue(given, 'Ready'), expect, name);
});
