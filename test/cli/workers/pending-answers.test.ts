import t from 'tap';
import { PendingAnswers } from '../../../cli/workers/pending-answers.js';

t.test('answers belong to their requests, and the first one counts', async t => {
  const pending = new PendingAnswers<string>();
  const [first, second] = [pending.begin(), pending.begin()];
  t.not(first.id, second.id);
  pending.settle(second.id, 'second');
  pending.settle(second.id, 'late');
  pending.settle(first.id + second.id + 1, 'of nobody');
  pending.settle(first.id, 'first');
  t.same(await Promise.all([first.answer, second.answer]), ['first', 'second']);
});
