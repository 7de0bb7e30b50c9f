/** Answers that take long to read do not hold the event loop for long. */
import { setImmediate } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { JsonObject, KubeObject } from '../../../../apimachinery/interface.js';
import { componentsIn, dependenciesIn, requirementsOf } from '../../../../controllers/interpreter/answers/decode.js';
import { thirdPartyInterpreter } from '../../../../controllers/interpreter/third-party/third-party.js';
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
  const whole = async (): Promise<void> => {
    await act().catch(() => undefined);
    await setImmediate(); // The last turn counts, too.
  };
  const { longest } = await turnsDuring(limit, whole);
  t.ok(longest < limit, `${name}: ${Math.round(longest)} ms, ${text.slice(0, 120)}`);
}

t.test('patches', async t => {
  for (const [name, object, response] of table) await hasShortTurns(t, name, () => patched(object, response));
});

const named = <T>(length: number, value: T): Record<string, T> =>
  Object.fromEntries(list(length).map(n => [`example.com/name${n}`, value]));
const requirements = (map: JsonObject) => async () => requirementsOf(map);
const selecting = (labelSelector: JsonObject): JsonObject => ({ apiVersion: 'v1', kind: 'Pod', labelSelector });
const valued = (values: unknown): JsonObject => ({ matchExpressions: [{ key: 'a', operator: 'In', values }] });
const manyLabels = named(95_000, 'a');
const manyTerms = list(95_000).map(() => ({}));
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
  ['a selector that is a long text', () => dependenciesIn([selecting({ matchLabels: 'x'.repeat(2 ** 21) })])],
  ['an expression that is a long text', () => dependenciesIn([selecting({ matchExpressions: 'x'.repeat(2 ** 21) })])],
  ['values that are a long text', () => dependenciesIn([selecting(valued('x'.repeat(2 ** 21)))])],
  [
    'a node affinity with many values',
    requirements({
      nodeClaim: { hardNodeAffinity: { nodeSelectorTerms: [{ matchExpressions: [{ values: texts }] }] } },
    }),
  ],
  [
    'a node affinity with many terms',
    requirements({ nodeClaim: { hardNodeAffinity: { nodeSelectorTerms: manyTerms } } }),
  ],
  ['a selector with many labels', () => dependenciesIn([selecting({ matchLabels: manyLabels })])],
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

t.test('selectors of wrong types are refused as by Go', async t => {
  const table: readonly [labelSelector: JsonObject, message: string][] = [
    [{ matchLabels: 'a' }, 'string into Go struct field LabelSelector.matchLabels'],
    [{ matchLabels: ['a'] }, 'array into Go struct field LabelSelector.matchLabels'],
    [{ matchLabels: { app: 1 } }, 'object into Go struct field LabelSelector.matchLabels'],
    [{ matchExpressions: {} }, 'object into Go struct field LabelSelector.matchExpressions'],
    [{ matchExpressions: ['a'] }, 'string into Go struct field LabelSelectorRequirement'],
    [valued('a'), 'string into Go struct field LabelSelectorRequirement.values'],
    [valued([1]), 'array into Go struct field LabelSelectorRequirement.values'],
  ];
  for (const [labelSelector, message] of table)
    await t.rejects(dependenciesIn([selecting(labelSelector)]), {
      name: 'ExpectedError',
      message: `json: cannot unmarshal ${message}`,
    });
  await t.rejects(dependenciesIn([selecting({ matchExpressions: [null] })]), {
    name: 'ExpectedError',
    message: /matchExpressions\[0\]\.operator: Invalid value: ""/,
  });
  const [read] = await dependenciesIn([selecting({ ...valued(['b']), matchLabels: { c: 'd' }, other: 1 })]);
  t.strictSame(read?.labelSelector, { matchLabels: { c: 'd' }, ...valued(['b']) }, 'other fields are left out');
});

t.test('a node affinity is decoded', async t => {
  const read = (hardNodeAffinity: unknown): unknown =>
    requirementsOf({ nodeClaim: { hardNodeAffinity } }).nodeClaim?.hardNodeAffinity;
  const terms = [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }];
  t.strictSame(read({ nodeSelectorTerms: [{ ...terms[0], other: 1 }] }), { nodeSelectorTerms: terms });
  t.throws(
    () => read({ nodeSelectorTerms: {} }),
    /cannot unmarshal object into Go struct field NodeSelector\.nodeSelectorTerms/,
  );
  t.throws(() => read({ nodeSelectorTerms: [1] }), /cannot unmarshal number into Go struct field NodeSelectorTerm/);
  t.throws(
    () => read({ nodeSelectorTerms: [{ matchFields: [1] }] }),
    /number into Go struct field NodeSelectorRequirement/,
  );
});

t.test('integers that a number does not hold exactly', async t => {
  const large = 2n ** 53n + 1n;
  const { nodeClaim, resourceRequest } = requirementsOf({
    nodeClaim: { tolerations: [{ key: 'a', tolerationSeconds: large }] },
    resourceRequest: { memory: large },
  });
  t.strictSame(nodeClaim?.tolerations, [{ key: 'a', tolerationSeconds: large }]);
  t.strictSame(resourceRequest, { memory: '9007199254740993' });
  t.throws(() => requirementsOf({ namespace: large }), /cannot unmarshal number into Go struct field/);
  await t.rejects(dependenciesIn([{ apiVersion: 'v1', kind: 'Pod', other: large }]), {
    name: 'ExpectedError',
    message: /Invalid value: .*"other":9007199254740993/,
  });
});

/** A pod template that is read twice: its empty list stands for an empty object. */
const template = {
  spec: {
    securityContext: [],
    containers: list(12).map(n => ({ name: `c${n}`, resources: { requests: { cpu: '1' } } })),
  },
};
const tasks = list(1_000).map(n => ({ name: `t${n}`, template }));
const workerGroupSpecs = list(1_000).map(() => ({ replicas: 1, template }));
const jobs: readonly [name: string, read: () => Promise<unknown>][] = [
  [
    'tasks of a Volcano Job',
    async () => {
      const job = { apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job', metadata: {}, spec: { tasks } };
      await thirdPartyInterpreter.components(job);
    },
  ],
  [
    'worker groups of a RayService',
    async () => {
      const rayClusterConfig = { headGroupSpec: { template }, workerGroupSpecs };
      const service = { apiVersion: 'ray.io/v1', kind: 'RayService', metadata: {}, spec: { rayClusterConfig } };
      await thirdPartyInterpreter.replicas(service);
    },
  ],
];

t.test('custom resources with many pod templates', async t => {
  for (const [name, read] of jobs) await hasShortTurns(t, name, read);
});
