/** Changes that increment the generation. */
import t from 'tap';
import { merge } from '../../wire.js';
import { sharedScene, withObject } from '../scene.js';

t.test('adding or removing an empty object increments the generation', async t => {
  const scene = await sharedScene();
  const from = (peer: object) => ({ spec: { podSelector: {}, ingress: [{ from: [peer] }] } });
  const made = { scene, resource: 'networkpolicies', name: 'a policy', given: from({ podSelector: {} }) };
  await withObject(t, made, async path => {
    const generations: unknown[] = [];
    for (const peer of [{ podSelector: {} }, { namespaceSelector: {} }, { namespaceSelector: null, podSelector: {} }]) {
      const { object } = await scene.ask(`PATCH ${path}`, from(peer), merge);
      generations.push(object.metadata.generation);
    }
    t.strictSame(generations, [1, 2, 3]);
  });
});
