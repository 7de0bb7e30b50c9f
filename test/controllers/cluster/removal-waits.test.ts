/** What the removal of a cluster waits for is reported at once, and again before the Event expires. */
import t from 'tap';
import { RemovalWaits } from '../../../controllers/cluster/remove-cluster.js';
import type { Cluster } from '../../../api/karmada/types.js';
import { silent } from '../../../server/logger.js';
import { steppedClock } from '../../lib/clock.js';

const cluster: Cluster = {
  ...{ apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', metadata: { name: 'member1' } },
  spec: { syncMode: 'Push' },
};

t.test('an Event is written at once, at every change, and every 30 minutes', t => {
  const clock = steppedClock();
  const messages: string[] = [];
  const recorder = { event: (...[, , , message]: [unknown, unknown, unknown, string]) => void messages.push(message) };
  const waits = new RemovalWaits({ log: silent, clock });
  const waitFor = (what: string, minutes: number): number => {
    messages.length = 0;
    for (let at = 0; at < minutes * 60; at += 10) {
      waits.wait(cluster, what, recorder);
      clock.advance(10_000);
    }
    return messages.length;
  };
  t.equal(waitFor('a', 29), 1);
  t.strictSame(messages, ['The removal of cluster(member1) waits for a']);
  t.equal(waitFor('b', 1), 1, 'another reason');
  t.equal(waitFor('b', 90), 3, 'the same reason, so that it can be seen as long as the cluster exists');
  waits.done('member1');
  t.equal(waitFor('b', 1), 1, 'a cluster of the same name');
  t.end();
});
