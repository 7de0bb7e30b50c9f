import t from 'tap';
import { shownList } from '../../lib/shown-list.js';

t.test('further items are counted, and their texts are not made', async t => {
  const made: number[] = [];
  const textOf = (item: number): string => {
    made.push(item);
    return `n${item}`;
  };
  t.equal(shownList([], 2, textOf), '');
  t.equal(shownList([1, 2], 2, textOf), 'n1, n2');
  t.equal(shownList([3, 4, 5], 2, textOf), 'n3, n4 and 1 more');
  t.same(made, [1, 2, 3, 4]);
});
