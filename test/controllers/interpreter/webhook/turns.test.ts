/** Answers that take long to read do not hold the event loop for long. */
import t, { type Test } from 'tap';
import type { JsonObject, KubeObject } from '../../../../apimachinery/interface.js';
import { componentsIn, dependenciesIn, requirementsOf } from '../../../../controllers/interpreter/answers/decode.js';
import { patched } from '../../../../controllers/interpreter/webhook/patch.js';
import { turnsDuring } from '../../../turns.js';
import { game, patchOf } from './interpreting.js';

interface Patch {
  readonly patch: string;
  readonly patchType: string;
}

const patch = (operations: unknown): Patch => patchOf(operations) as Patch;

const list = (length: number): number[] => Array.from({ length }, (_, n) => n);
const many: KubeObject = { ...game, spec: { list: list(20_000), text: 'x'.repeat(1_000_000) } };

const table: readonly [name: string, object: KubeObject, patch: Patch][] = [
  ['many operations', game, patch(list(5_000).map(n => ({ op: 'add', path: `/spec/a${n}`, value: n })))],
  ['many values', game, patch([{ op: 'add', path: '/spec/a', value: list(49_000) }])],
  ['a long text', game, patch([{ op: 'add', path: '/spec/a', value: 'x'.repeat(4_000_000) }])],
  [
    'moves in a list',
    many,
    patch(list(10_000).map(() => ({ op: 'move', from: '/spec/list/0', path: '/spec/list/9000' }))),
  ],
  ['tests of a large part', many, patch(list(10_000).map(() => ({ op: 'test', path: '/spec/list', value: [] })))],
  ['copies', game, patch(list(10_000).map(n => ({ op: 'copy', from: '/spec', path: `/spec/a${n}` })))],
  ['too many operations', game, patch(list(10_001).map(() => ({ op: 'add', path: '/spec/a', value: 1 })))],
  ['too many values', game, patch([{ op: 'add', path: '/spec/a', value: list(100_000) }])],
];

/** Milliseconds of CPU time. */
const limit = 50;

/** Reports whether no turn of the event loop takes long. */
async function hasShortTurns(t: Test, name: string, act: () => Promise<unknown>): Promise<void> {
  const text = await act().then(
    () => 'taken',
    (error: unknown) => String(error),
  );
  let longest = Infinity;
  // Other processes disturb a measurement now and then.
  for (let round = 0; round < 3 && longest > limit; round++)
    ({ longest } = await turnsDuring(() => act().catch(() => undefined)));
  t.ok(longest <= limit, `${name}: ${Math.round(longest)} ms, ${text.slice(0, 120)}`);
}

t.test('patches', async t => {
  for (const [name, object, response] of table) await hasShortTurns(t, name, () => patched(object, response));
});

const named = <T>(length: number, value: T): Record<string, T> =>
  Object.fromEntries(list(length).map(n => [`example.com/name${n}`, value]));
const requirements = (map: JsonObject) => async () => requirementsOf(map);
const selecting = (labelSelector: JsonObject): JsonObject => ({ apiVersion: 'v1', kind: 'Pod', labelSelector });
const components = list(1_000).map(() => ({ replicaRequirements: { resourceRequest: named(95, '1.5') } }));
const texts = list(95_000).map(n => `value${n}`);

const answers: readonly [name: string, read: () => Promise<unknown>][] = [
  ['resources of a replica', requirements({ resourceRequest: named(99_000, '1.5') })],
  ['a node selector', requirements({ nodeClaim: { nodeSelector: named(99_000, 'a') } })],
  ['tolerations', requirements({ nodeClaim: { tolerations: list(49_000).map(() => ({ key: 'a' })) } })],
  ['resources of many components', () => componentsIn(components)],
  [
    'a selector with many values',
    () => dependenciesIn([selecting({ matchExpressions: [{ key: 'a', operator: 'In', values: texts }] })]),
  ],
  ['a selector with many labels', () => dependenciesIn([selecting({ matchLabels: named(95_000, 'a') })])],
];

t.test('answers with many entries', async t => {
  for (const [name, read] of answers) await hasShortTurns(t, name, read);
});

t.test('an answer at the limits is taken, and one entry more is not', async t => {
  t.ok(requirementsOf({ resourceRequest: named(1_000, '1'), nodeClaim: { nodeSelector: named(1_000, 'a') } }));
  t.throws(() => requirementsOf({ resourceRequest: named(1_001, '1') }), /1001 resources in a request/);
  t.throws(() => requirementsOf({ nodeClaim: { nodeSelector: named(1_001, 'a') } }), /1001 labels in a node selector/);
  await dependenciesIn([selecting({ matchLabels: named(1_000, 'a') })]);
  await t.rejects(dependenciesIn([selecting({ matchLabels: named(1_001, 'a') })]), /1001 labels and values/);
});
