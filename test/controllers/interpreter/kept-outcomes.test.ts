/** Outcomes of calls that workers have left do not stay in memory. */
import t from 'tap';
import { KeptOutcomes } from '../../../controllers/interpreter/calls/kept-outcomes.js';
import { until } from '../../storage/until.js';

t.test('outcomes that are not used are dropped', async t => {
  const stopping = new AbortController();
  t.teardown(() => stopping.abort());
  const kept = new KeptOutcomes(stopping.signal, 20);
  kept.set('a', { value: 1 });
  t.equal(kept.size, 1);
  await until('it is dropped, though nobody asks for it', () => kept.size === 0);
  kept.set('b', { value: 1 });
  await until('later ones are dropped, too', () => kept.size === 0);
});

t.test('outcomes of a deleted configuration, and of a process that stops, are dropped', async t => {
  const stopping = new AbortController();
  const kept = new KeptOutcomes(stopping.signal);
  for (const call of ['webhook/a/1', 'webhook/a/2', 'webhook/ab/1']) kept.set(call, { value: call });
  kept.drop('webhook/a/');
  t.equal(kept.take('webhook/a/1'), undefined);
  t.match(kept.take('webhook/ab/1'), { value: 'webhook/ab/1' });
  stopping.abort();
  t.equal(kept.size, 0);
  kept.set('webhook/a/1', { value: 1 });
  t.equal(kept.size, 0);
});
