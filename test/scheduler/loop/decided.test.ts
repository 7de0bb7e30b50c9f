import t from 'tap';
import { TimeSlice } from '../../../lib/time-slice.js';
import type { Deciding } from '../../../scheduler/interface.js';
import { decided } from '../../../scheduler/loop/decided.js';

t.test('a decision begins in a turn of the event loop that has time left', async t => {
  let hasBegun = false;
  function* deciding(): Deciding<string> {
    hasBegun = true;
    yield;
    return 'placed';
  }
  const slice = new TimeSlice();
  while (!slice.pause()); // The turn is used up.
  const result = decided(deciding(), () => Promise.resolve(new Map()));
  t.notOk(hasBegun);
  t.equal(await result, 'placed');
});
