/** What the removal of a cluster waits for is found in several turns of the event loop. */
import t from 'tap';
import type { Binding } from '../../../api/karmada/types.js';
import { resources } from '../../../api/karmada/well-known.js';
import { bindingsText, worksText } from '../../../controllers/cluster/removal-text.js';
import { mirrorOf } from '../../client/large-mirror.js';
import { turnsDuring } from '../../turns.js';

/** In milliseconds. The test runner tracks each promise of the walk, and the collection of that garbage takes most of a turn. */
const limit = 100;

const bindingAt = (i: number): Binding => ({
  ...{ apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding' },
  metadata: { namespace: 'default', name: `b${i}`, resourceVersion: '1' },
  spec: { resource: { apiVersion: 'v1', kind: 'ConfigMap', name: `m${i}` }, clusters: [{ name: 'member1' }] },
  status: {
    conditions: [
      {
        ...{ type: 'Scheduled', status: i === 49_999 ? 'False' : 'True', reason: 'r', message: 'no room' },
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  },
});

t.test('fifty thousand bindings of a removed cluster do not hold the event loop', async t => {
  const target = ({ spec }: Binding): string[] => (spec.clusters ?? []).map(({ name }) => name);
  const items = Array.from({ length: 50_000 }, (_, i) => bindingAt(i));
  const mirror = await mirrorOf(t, resources.resourceBindings, items, { target });
  let text: string | undefined;
  const { longest } = await turnsDuring(limit, async () => {
    text = await bindingsText('member1', [mirror]);
  });
  t.ok(longest < limit, `${longest} ms`);
  const names = [0, 1, 2].map(i => `ResourceBinding default/b${i}`).join(', ');
  const why = 'the scheduler finds no other place: no room';
  t.equal(text, `50000 bindings with it as a target (${names} and 49997 more); ${why}`);
  t.equal(await bindingsText('member2', [mirror]), undefined);
});

t.test('Works are described by their keys', t => {
  const works = new Set(['a', 'b', 'c', 'd'].map(name => `karmada-es-member1/${name}`));
  const text = (keys: ReadonlySet<string>): string => worksText(keys, 'karmada-es-member1');
  const place = 'in namespace karmada-es-member1 not taken back yet';
  t.equal(text(works), `4 Works ${place} (a, b, c and 1 more)`);
  t.equal(text(new Set(['karmada-es-member1/a'])), `1 Work ${place} (a)`);
  t.end();
});
