/** The rounds of a mutating plugin: which of its webhooks are called again. */
import t from 'tap';
import { reinvoking, type Rounds, roundsOf } from '../../admission/reinvocation.js';
import { isSameObject } from '../../admission/same-object.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { TimeSlice, nextTurn } from '../../lib/time-slice.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';

/** A ConfigMap that counts how often its data is read, by a copy or a comparison. */
function countedObject(): { readonly object: KubeObject; readonly reads: () => number } {
  let reads = 0;
  const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  Object.defineProperty(object, 'data', { enumerable: true, get: () => ({ read: String(reads++ < 0) }) });
  return { object, reads: () => reads };
}

/** Runs two rounds, in each of which `act` is called, and returns whether `a` was due in each. */
async function dueInRounds(object: KubeObject, act: (rounds: Rounds) => void): Promise<readonly boolean[]> {
  const due: boolean[] = [];
  const plugin = reinvoking({
    name: 'p',
    async mutate(request) {
      const rounds = roundsOf(request, 'p');
      await rounds.begin(request.object);
      due.push(rounds.isDue('a'));
      act(rounds);
      rounds.end(request.object);
    },
  });
  await plugin.mutate?.({ object } as AdmissionRequest);
  return due;
}

t.test('an object is neither copied nor compared if nothing in it may be called again', async t => {
  const { object, reads } = countedObject();
  t.same(await dueInRounds(object, rounds => rounds.changed()), [true, false]);
  t.equal(reads(), 0);
});

t.test('what was called with IfNeeded is due again if the object has changed since', async t => {
  const request = (rounds: Rounds): void => {
    rounds.changed();
    rounds.invoked('a');
  };
  const { object, reads } = countedObject();
  t.same(await dueInRounds(object, request), [true, false]);
  t.ok(reads() > 0, 'it is copied and compared');
  const changed: KubeObject = { ...object, data: {} };
  let calls = 0;
  const due = await dueInRounds(changed, rounds => {
    request(rounds);
    // A later plugin of the first round changes the object.
    if (calls++ === 0) queueMicrotask(() => (changed['data'] = { k: 'v' }));
  });
  t.same(due, [true, true]);
});

t.test('a large object is compared in later turns of the event loop', async t => {
  const large = (): object => ({ list: Array.from({ length: 20_000 }, (_, i) => ({ i })) });
  const slice = new TimeSlice();
  while (!slice.pause()); // The turn is used up.
  t.equal(isSameObject({}, large(), large()), true, 'a small one at once');
  const comparing = isSameObject({ pause: nextTurn }, large(), large());
  t.ok(comparing instanceof Promise);
  t.equal(await comparing, true);
});
