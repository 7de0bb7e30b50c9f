/** Changes that increment the generation. */
import t from 'tap';
import { merge } from '../../wire.js';
import { sharedFixture, withObject } from '../fixture.js';

t.test('adding or removing an empty object increments the generation', async t => {
  const fixture = await sharedFixture();
  const from = (peer: object) => ({ spec: { podSelector: {}, ingress: [{ from: [peer] }] } });
  const made = { fixture, resource: 'networkpolicies', name: 'a policy', given: from({ podSelector: {} }) };
  await withObject(t, made, async path => {
    const generations: unknown[] = [];
    for (const peer of [{ podSelector: {} }, { namespaceSelector: {} }, { namespaceSelector: null, podSelector: {} }]) {
      const { object } = await fixture.ask(`PATCH ${path}`, from(peer), merge);
      generations.push(object.metadata.generation);
    }
    t.strictSame(generations, [1, 2, 3]);
  });
});
