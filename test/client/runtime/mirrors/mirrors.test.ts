import t from 'tap';
import type { InformerFactory } from '../../../../client/runtime/interface.js';
import { isDeletable, mirrorResources } from '../../../../client/runtime/mirrors/mirrors.js';
import { TimeSlice } from '../../../../lib/time-slice.js';
import { runningControllers } from '../../../controllers/one-controller.js';

/** Uses up the time of this turn. */
function useUpTurn(): void {
  const slice = new TimeSlice();
  while (!slice.pause());
}

t.test('the mirrors of all kinds are started in several turns of the event loop', async t => {
  let [started, inFirstTurn] = [0, -1];
  await runningControllers(t, async context => {
    const { informers } = context;
    const counting: InformerFactory = {
      informer: (...of) => {
        started++;
        return informers.informer(...of);
      },
      replayed: () => informers.replayed(),
      release: (...of) => informers.release(...of),
    };
    useUpTurn();
    setImmediate(() => (inFirstTurn = started));
    await mirrorResources({ ...context, informers: counting }, { wants: isDeletable });
  });
  t.equal(inFirstTurn, 0);
  t.ok(started > 40, `${started} mirrors`);
});
