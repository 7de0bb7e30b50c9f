/** Overriders with much work: large templates, and many overriders in one rule. */
import t from 'tap';
import type { Cluster, OverridePolicy, Overriders } from '../../../api/karmada/types.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { overriding } from '../../../controllers/override/apply.js';
import { patchText } from '../../../controllers/override/patch-text.js';
import { ExpectedError } from '../../../lib/logging/cause.js';
import { listed } from './listed.js';
import { longestStall } from '../../lib/longest-stall.js';

const apply = overriding({ boundaries: 'enforce', patchText });
const cluster = { apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', metadata: { name: 'm' } } as Cluster;
const policy = (overriders: Overriders): OverridePolicy => ({
  ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'OverridePolicy', metadata: { name: 'p', namespace: 'n' } },
  spec: { overrideRules: [{ overriders }] },
});
const pod = (...images: string[]): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'c', namespace: 'n', labels: { a: '1', b: '2' } } },
  spec: { containers: images.map((image, i) => ({ name: `c${i}`, image, command: ['x', 'y'] })) },
});
const range = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const overridden = async (object: KubeObject, overriders: Overriders): Promise<KubeObject> =>
  (await apply(object, cluster, listed([policy(overriders)]))).object;

t.test('each overrider gets the result of the previous ones', async t => {
  const object = pod('a/b:1');
  const { metadata, spec } = await overridden(object, {
    labelsOverrider: [
      { operator: 'add', value: { c: '3', d: '4' } },
      { operator: 'replace', value: { c: '33', none: 'x' } },
      { operator: 'remove', value: { a: '', d: '' } },
    ],
    annotationsOverrider: [{ operator: 'replace', value: { none: 'x' } }],
    commandOverrider: [
      { containerName: 'c0', operator: 'add', value: ['z', 'x'] },
      { containerName: 'c0', operator: 'remove', value: ['x', 'none'] },
    ],
    plaintext: [
      { path: '/spec/containers/0/args', operator: 'add', value: ['p'] },
      { path: '/spec/containers/0/args/0', operator: 'replace', value: 'q' },
      { path: '/metadata/labels/b', operator: 'remove' },
    ],
  });
  t.strictSame(metadata.labels, { c: '33' });
  t.notOk('annotations' in metadata, 'a missing field is not replaced');
  t.strictSame(spec, { containers: [{ name: 'c0', image: 'a/b:1', command: ['y', 'z'], args: ['q'] }] });
  t.strictSame(object, pod('a/b:1'), 'the template is not changed');
});

t.test('replace needs an existing value', async t => {
  const rows = [
    { path: '/metadata/labels/none', missing: 'key' },
    { path: '/spec/none/key', missing: 'path' },
    { path: '/spec/containers/1', missing: 'key' },
    { path: '/spec/containers/-', missing: 'key' },
    { path: '/spec/containers/0/name/x', missing: 'key' },
  ];
  for (const { path, missing } of rows)
    await t.rejects(overridden(pod('a'), { plaintext: [{ path, operator: 'replace', value: 'v' }] }), {
      name: 'ExpectedError',
      message: `replace operation does not apply: doc is missing ${missing}: ${path}: missing value`,
    });
});

t.test('the length of images in errors is bounded', async t => {
  const add = { component: 'Registry', operator: 'add', value: 'x'.repeat(1_000_000) } as const;
  await t.rejects(overridden(pod(...range(5, () => 'a')), { imageOverrider: [add] }), {
    message: 'the overridden images are longer than 4194304 characters together',
  });
  const image = 'a'.repeat(100_000);
  const why = 'error: invalid reference format';
  const error: unknown = await overridden(pod(image), { imageOverrider: [add] }).catch((error: unknown) => error);
  t.ok(error instanceof ExpectedError);
  t.equal((error as Error).message, `failed to parse image value(${image.slice(0, 1024)}), ${why}`);
});

t.test('many overriders do not block the event loop', async t => {
  const containers = pod(...range(2000, i => `a/b:v${i}`));
  const labels = Object.fromEntries(range(5000, i => [`k${i}`, 'v']));
  const rows: Readonly<Record<string, Overriders>> = {
    images: { imageOverrider: range(50, i => ({ component: 'Tag', operator: 'replace', value: `w${i}` })) },
    commands: {
      commandOverrider: [
        { containerName: 'c0', operator: 'add', value: range(5000, i => `w${i}`) },
        ...range(15, () => ({
          ...{ containerName: 'c0', operator: 'remove' as const },
          value: range(2500, i => `w${2 * i}`),
        })),
      ],
    },
    labels: {
      labelsOverrider: [
        { operator: 'add', value: labels },
        ...range(5000, i => ({ operator: 'replace' as const, value: { [`k${i}`]: 'w' } })),
      ],
    },
    plaintext: {
      plaintext: range(10_000, i => ({ path: `/metadata/labels/k${i}`, operator: 'add', value: 'v' })),
    },
  };
  for (const [name, overriders] of Object.entries(rows)) {
    const run = async (): Promise<void> => void (await overridden(containers, overriders));
    const stall = await longestStall(100, run);
    t.ok(stall < 100, `${name}: ${stall.toFixed(0)} ms`);
  }
});
