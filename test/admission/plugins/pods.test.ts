import t from 'tap';
import { deny } from '../../../admission/deny.js';
import { mergeTolerations } from '../../../admission/plugins/runtime-class.js';
import { namespaces, pod, pods, refusal } from '../../registry/serve.js';
import { guarded, object, resource } from './guarded.js';

const priorityClasses = resource('priorityclasses', 'scheduling.k8s.io');
const runtimeClasses = resource('runtimeclasses', 'node.k8s.io');
const nodes = resource('nodes');

const cluster = (name: string) => ({ name });
const forbidden = (text: string): string => `403 Forbidden: pods "p" is forbidden: ${text}`;

t.test('priorities are set from classes', async t => {
  const { client } = await guarded(t);
  const make = (spec: object) => client.create(pods, pod('p', spec), { dryRun: true });
  const plain = await make({});
  t.match(plain.spec, { priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
  t.equal((plain.spec as { priorityClassName?: string }).priorityClassName, undefined);
  const priorityClass = (name: string, value: number, more: object = {}) =>
    client.create(priorityClasses, object('scheduling.k8s.io/v1', 'PriorityClass', cluster(name), { value, ...more }));
  await priorityClass('high', 1000, { preemptionPolicy: 'Never' });
  t.match((await make({ priorityClassName: 'high' })).spec, { priority: 1000, preemptionPolicy: 'Never' });
  await priorityClass('usual', 5, { globalDefault: true });
  t.match((await make({})).spec, { priority: 5, priorityClassName: 'usual', preemptionPolicy: 'PreemptLowerPriority' });

  const refused: readonly { name: string; given: object; expect: string }[] = [
    {
      name: 'an unknown class',
      given: { priorityClassName: 'low' },
      expect: 'no PriorityClass with name low was found',
    },
    {
      name: 'a priority in the Pod',
      given: { priorityClassName: 'high', priority: 7 },
      expect:
        'the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 1000 from the given PriorityClass name',
    },
    {
      name: 'a preemption policy in the Pod',
      given: { priorityClassName: 'high', preemptionPolicy: 'PreemptLowerPriority' },
      expect:
        'the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name',
    },
  ];
  for (const { name, given, expect } of refused) t.equal(await refusal(make(given)), forbidden(expect), name);
  t.equal(
    await refusal(priorityClass('other', 6, { globalDefault: true })),
    '403 Forbidden: priorityclasses.scheduling.k8s.io "other" is forbidden: PriorityClass usual is already marked as default. Only one default can exist',
  );
  const marked = await client.get(priorityClasses, cluster('usual'));
  await client.update(priorityClasses, { ...marked, description: 'still the one' });

  const created = await client.create(pods, pod('q', { priorityClassName: 'high' }));
  const { priority: _, ...spec } = created.spec as { priority: number };
  const updated = await client.update(pods, { ...created, spec });
  t.match(updated.spec, { priority: 1000 }, 'an update may omit what admission has set');
});

t.test('pods get tolerations for failed nodes', async t => {
  const { client } = await guarded(t);
  const [notReady, unreachable] = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'] as const;
  const added = (key: string) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
  const own = (more: object) => ({ operator: 'Exists', ...more });
  const cases: readonly { name: string; given: object[]; expect: object[] }[] = [
    { name: 'no tolerations', given: [], expect: [added(notReady), added(unreachable)] },
    {
      name: 'a toleration of its own',
      given: [own({ key: notReady, effect: 'NoExecute', tolerationSeconds: 1 })],
      expect: [own({ key: notReady, effect: 'NoExecute', tolerationSeconds: 1 }), added(unreachable)],
    },
    { name: 'all', given: [own({})], expect: [own({})] },
    {
      name: 'another effect',
      given: [own({ key: notReady, effect: 'NoSchedule' })],
      expect: [own({ key: notReady, effect: 'NoSchedule' }), added(notReady), added(unreachable)],
    },
  ];
  for (const { name, given, expect } of cases) {
    const made = await client.create(pods, pod('p', { tolerations: given }), { dryRun: true });
    t.same((made.spec as { tolerations: object[] }).tolerations, expect, name);
  }
});

t.test('runtime classes set overhead, node selector and tolerations', async t => {
  const { client } = await guarded(t);
  await client.create(
    runtimeClasses,
    object('node.k8s.io/v1', 'RuntimeClass', cluster('heavy'), {
      handler: 'h',
      overhead: { podFixed: { cpu: '250m' } },
      scheduling: { nodeSelector: { kind: 'big' }, tolerations: [{ key: 'k', operator: 'Exists' }] },
    }),
  );
  const make = (spec: object) => client.create(pods, pod('p', spec), { dryRun: true });
  const made = await make({ runtimeClassName: 'heavy', nodeSelector: { zone: 'a' } });
  t.match(made.spec, { overhead: { cpu: '250m' }, nodeSelector: { zone: 'a', kind: 'big' } });
  t.match((made.spec as { tolerations: object[] }).tolerations.at(-1), { key: 'k' });
  const refused: readonly { name: string; given: object; expect: string }[] = [
    { name: 'missing', given: { runtimeClassName: 'x' }, expect: 'pod rejected: RuntimeClass "x" not found' },
    {
      name: 'another overhead',
      given: { runtimeClassName: 'heavy', overhead: { cpu: '1' } },
      expect: "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    },
    {
      name: 'overhead without a class',
      given: { overhead: { cpu: '1' } },
      expect: 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    },
    {
      name: 'elsewhere',
      given: { runtimeClassName: 'heavy', nodeSelector: { kind: 'small' } },
      expect: 'conflict: runtimeClass.scheduling.nodeSelector[kind] = big; pod.spec.nodeSelector[kind] = small',
    },
  ];
  for (const { name, given, expect } of refused) t.equal(await refusal(make(given)), forbidden(expect), name);
  t.match((await make({ runtimeClassName: 'heavy', overhead: { cpu: '0.25' } })).spec, { overhead: { cpu: '250m' } });
});

t.test('tolerations that others cover are dropped', t => {
  const exists = (key: string, more: object = {}) => ({ key, operator: 'Exists', ...more });
  const equal = (key: string, value: string) => ({ key, operator: 'Equal', value });
  const cases: readonly { name: string; given: object[]; expect: object[] }[] = [
    { name: 'duplicates', given: [exists('a'), exists('a')], expect: [exists('a')] },
    { name: 'a key with a value', given: [equal('a', '1'), exists('a')], expect: [exists('a')] },
    { name: 'everything', given: [exists('a'), { operator: 'Exists' }, exists('b')], expect: [{ operator: 'Exists' }] },
    {
      name: 'a shorter time',
      given: [
        exists('a', { effect: 'NoExecute', tolerationSeconds: 5 }),
        exists('a', { effect: 'NoExecute', tolerationSeconds: 9 }),
      ],
      expect: [exists('a', { effect: 'NoExecute', tolerationSeconds: 9 })],
    },
    { name: 'other values', given: [equal('a', '1'), equal('a', '2')], expect: [equal('a', '1'), equal('a', '2')] },
  ];
  for (const { name, given, expect } of cases) t.same(mergeTolerations(given), expect, name);
  t.end();
});

t.test('nodes start with the not-ready taint, and pods get topology labels of their node', async t => {
  const { client } = await guarded(t);
  const labels = { 'topology.kubernetes.io/zone': 'z', other: 'o' };
  const node = await client.create(nodes, object('v1', 'Node', { name: 'n', labels }));
  const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
  t.same((node.spec as { taints: object[] }).taints, [taint]);
  const again = await client.create(nodes, object('v1', 'Node', cluster('m'), { spec: { taints: [taint] } }));
  t.same((again.spec as { taints: object[] }).taints, [taint]);
  const made = await client.create(pods, pod('p', { nodeName: 'n' }));
  t.same(made.metadata.labels, { 'topology.kubernetes.io/zone': 'z' });
  const elsewhere = await client.create(pods, pod('q', { nodeName: 'gone' }));
  t.equal(elsewhere.metadata.labels, undefined);
});

t.test('namespaces that are missing, terminating or protected', async t => {
  const { client } = await guarded(t);
  t.equal(
    await refusal(client.create(pods, { ...pod('p'), metadata: { name: 'p', namespace: 'gone' } })),
    '404 NotFound: namespaces "gone" not found',
  );
  t.equal(
    await refusal(client.delete(namespaces, cluster('default'))),
    '403 Forbidden: namespaces "default" is forbidden: this namespace may not be deleted',
  );
  await client.create(namespaces, object('v1', 'Namespace', cluster('going')));
  const there = await client.create(pods, { ...pod('p'), metadata: { name: 'p', namespace: 'going' } });
  await client.delete(namespaces, cluster('going'));
  t.equal(
    await refusal(client.create(pods, { ...pod('q'), metadata: { name: 'q', namespace: 'going' } })),
    '403 Forbidden: pods "q" is forbidden: unable to create new content in namespace going because it is being terminated',
  );
  const labelled = { ...there, metadata: { ...there.metadata, labels: { a: 'b' } } };
  t.same((await client.update(pods, labelled)).metadata.labels, { a: 'b' }, 'existing objects can be updated');
});

t.test('the name in a refusal', async t => {
  const { catalogue } = await guarded(t);
  const definition = catalogue.find(pods);
  if (!definition) throw new Error('no pods');
  const request = {
    operation: 'CREATE' as const,
    definition,
    version: 'v1',
    subresource: '',
    namespace: 'default',
    user: { name: 'u', groups: [] },
    dryRun: false,
    options: {},
    old: undefined,
    warn: () => undefined,
    annotate: () => undefined,
  };
  const text = (name: string, metadata: object) =>
    deny({ ...request, name, object: { apiVersion: 'v1', kind: 'Pod', metadata } }, 'no').message;
  t.equal(text('p', {}), 'pods "p" is forbidden: no');
  t.equal(text('', { generateName: 'p-' }), 'pods "p-" is forbidden: no');
  t.equal(text('', {}), 'pods "Unknown" is forbidden: no');
});
