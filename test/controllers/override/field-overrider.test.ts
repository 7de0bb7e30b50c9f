import t from 'tap';
import { openOffload } from '../../../server/offload.js';
import { overriding } from '../../../controllers/override/apply.js';
import { patchText } from '../../../controllers/override/patch-text.js';
import { textPatcher } from '../../../controllers/override/text-patcher.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Cluster, OverridePolicy, Overriders } from '../../../api/karmada/types.js';
import { longestStall } from '../../lib/longest-stall.js';
import { listed } from './listed.js';

const offload = openOffload();
t.teardown(() => offload.close());
const apply = overriding({ boundaries: 'enforce', patchText: textPatcher(offload) });

const cluster = { apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', metadata: { name: 'm' } } as Cluster;
const configMap = (text: string): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'n' } },
  data: { file: text },
});
const policy = (...fieldOverrider: NonNullable<Overriders['fieldOverrider']>): OverridePolicy => ({
  ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'OverridePolicy', metadata: { name: 'p', namespace: 'n' } },
  spec: { overrideRules: [{ overriders: { fieldOverrider } }] },
});

const change = { subPath: '/k1', operator: 'replace', value: 'new' } as const;
const inYaml = { fieldPath: '/data/file', yaml: [change] };
const inJson = { fieldPath: '/data/file', json: [change] };
const yamlOf = (keys: number): string => Array.from({ length: keys }, (_, i) => `k${i}: v\n`).join('');
const jsonOf = (keys: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, 'v'])));
const fileOf = (object: KubeObject): unknown => (object['data'] as Record<string, unknown>)['file'];

t.test('large texts are overridden like small ones', async t => {
  for (const keys of [3, 12_000]) {
    for (const [text, field] of [
      [yamlOf(keys), inYaml],
      [jsonOf(keys), inJson],
    ] as const) {
      const [here, there] = await Promise.all(
        [overriding({ boundaries: 'enforce', patchText }), apply].map(run =>
          run(configMap(text), cluster, listed([policy(field)])),
        ),
      );
      t.ok(fileOf(here?.object as KubeObject) === fileOf(there?.object as KubeObject), `${keys} keys`);
      t.match(String(fileOf(there?.object as KubeObject)), /k1"?: ?"?new/);
    }
  }
});

t.test('an invalid override rejects, in this thread and in another one', async t => {
  for (const size of [1, 100_000]) {
    const broken = `a: [\n${'#'.repeat(size)}\n`;
    await t.rejects(apply(configMap(broken), cluster, listed([policy(inYaml)])), {
      message: /^yaml: line 2: did not find/,
    });
    const lacking = `a: 1\n${'#'.repeat(size)}\n`;
    await t.rejects(apply(configMap(lacking), cluster, listed([policy(inYaml)])), {
      message: /doc is missing key: \/k1/,
    });
  }
});

t.test("a tenant's texts do not block the event loop", async t => {
  const many = Array.from({ length: 300 }, () => inYaml);
  const rows: Readonly<Record<string, readonly [string, OverridePolicy]>> = {
    'many keys': [yamlOf(10_000), policy(inYaml)],
    braces: ['}'.repeat(1_000_000), policy(inYaml)],
    'much JSON': [jsonOf(60_000), policy(inJson)],
    'many operations': [
      yamlOf(1000),
      policy({ fieldPath: '/data/file', yaml: Array.from({ length: 1000 }, () => change) }),
    ],
    'many overriders': [yamlOf(1000), policy(...many)],
  };
  for (const [name, [text, given]] of Object.entries(rows)) {
    const run = async (): Promise<void> =>
      void (await apply(configMap(text), cluster, listed([given])).catch(() => undefined));
    const stall = await longestStall(100, run);
    t.ok(stall < 100, `${name}: ${stall.toFixed(0)} ms`);
  }
});
