/** What interpreters read: custom resources of third-party kinds, and the answers of interpreter webhooks. With a simulated member. */
import { setTimeout } from 'node:timers/promises';
import { customKind, definitionsPath } from '../../custom-kinds.js';
import type { Fixture, Row } from '../row.js';
import { policyOf } from './karmada.js';
import { configMap, configMaps, entries, get, object, post, range, remove } from './objects.js';

const flags = ['--members', '1', '--feature-gates', 'MultiplePodTemplatesScheduling=true'];
const policies = '/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies';
const bindings = '/apis/work.karmada.io/v1alpha2/namespaces/default/resourcebindings';
const configurations = '/apis/config.karmada.io/v1alpha1/resourceinterpreterwebhookconfigurations';

/** Bytes in the watch history: a template and a binding of some megabytes, for every change of their status. */
const retained = 128 << 20;

/** Waits until the answer to a request satisfies `isDone`. */
async function until(fixture: Fixture, path: string, isDone: (status: number) => boolean): Promise<void> {
  for (let i = 0; i < 1_000; i++) {
    const { status } = await fixture.send(get(path));
    if (isDone(status)) return;
    await setTimeout(20);
  }
  throw new Error(`${path} has not the awaited status`);
}

/** A pod template that is read twice: its empty list stands for an empty object. */
const template = {
  spec: {
    securityContext: [],
    containers: range(8, i => ({ name: `c${i}`, resources: { requests: { cpu: '1' } } })),
  },
};

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
}

/** Propagates a custom resource. `size`: the pod templates in it. */
const resource = (name: string, size: number, type: Kind, specOf: (size: number) => object): Row => {
  const { group, version, kind, plural } = type;
  const apiVersion = `${group}/${version}`;
  const path = `/apis/${apiVersion}/namespaces/default/${plural}`;
  const versions = [
    {
      ...{ name: version, served: true, storage: true },
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    },
  ];
  return {
    name: `interpreters/${name}`,
    ...{ size, flags, retainedBytes: retained },
    async prepare(fixture) {
      await fixture.must(post(definitionsPath, customKind(kind, versions, { group, names: { plural } })));
      await until(fixture, path, status => status === 200);
    },
    async play(fixture) {
      const own = fixture.name();
      const policy = policyOf(own, { resourceSelectors: [{ apiVersion, kind, name: own }] });
      await fixture.must(post(policies, policy));
      await fixture.must(post(path, object(apiVersion, kind, own, { spec: specOf(fixture.size) })));
      await until(fixture, `${bindings}/${own}-${kind.toLowerCase()}`, status => status === 200);
      await fixture.must(remove(`${path}/${own}`));
      await fixture.must(remove(`${policies}/${own}`));
    },
  };
};

/** Propagates ConfigMaps that a webhook interprets, until it was called twice. `size`: of the answer; its unit depends on the row. */
const answer = (name: string, size: number, operation: string, answerOf: (size: number) => object): Row => ({
  name: `interpreters/${name}`,
  ...{ size, flags, retainedBytes: retained },
  async play(fixture) {
    const own = fixture.name();
    const { url, caBundle, calls } = await fixture.webhook(review => {
      const { uid } = review['request'] as { uid: string };
      return { body: { response: { uid, successful: true, ...answerOf(fixture.size) } } };
    });
    const hook = {
      name: `${own}.example.com`,
      clientConfig: { url, caBundle },
      rules: [{ operations: [operation], apiGroups: [''], apiVersions: ['v1'], kinds: ['ConfigMap'] }],
      ...{ interpreterContextVersions: ['v1alpha1'], timeoutSeconds: 5 },
    };
    const kind = 'ResourceInterpreterWebhookConfiguration';
    const resourceSelectors = [{ apiVersion: 'v1', kind: 'ConfigMap', labelSelector: { matchLabels: { own } } }];
    await fixture.must(post(configurations, object('config.karmada.io/v1alpha1', kind, own, { webhooks: [hook] })));
    await fixture.must(post(policies, policyOf(own, { resourceSelectors, propagateDeps: true })));
    // A ConfigMap that is interpreted before the configuration is known is not interpreted again.
    const made: string[] = [];
    for (let i = 0; i < 1_000 && calls.length < 2; i++) {
      if (i % 50 === 0) {
        made.push(fixture.name());
        await fixture.must(post(configMaps, configMap(made.at(-1) ?? '', { metadata: { labels: { own } } })));
      }
      await setTimeout(20);
    }
    if (calls.length < 2) throw new Error(`the webhook was called ${calls.length} times`);
    for (const each of made) await fixture.must(remove(`${configMaps}/${each}`));
    await fixture.must(remove(`${policies}/${own}`));
    await fixture.must(remove(`${configurations}/${own}`));
  },
});

const requiring = (replicaRequirements: object): object => ({ replicas: 1, replicaRequirements });
const selecting = (labelSelector: unknown): object => ({
  dependencies: [{ apiVersion: 'v1', kind: 'Secret', labelSelector }],
});

export const interpreterRows: readonly Row[] = [
  resource(
    'volcano-tasks',
    1_000,
    { group: 'batch.volcano.sh', version: 'v1alpha1', kind: 'Job', plural: 'jobs' },
    size => ({ tasks: range(size, i => ({ name: `t${i}`, template })) }),
  ),
  resource(
    'ray-groups',
    1_000,
    { group: 'ray.io', version: 'v1', kind: 'RayService', plural: 'rayservices' },
    size => ({
      rayClusterConfig: {
        headGroupSpec: { template },
        workerGroupSpecs: range(size, () => ({ replicas: 1, template })),
      },
    }),
  ),
  answer('requests', 30_000, 'InterpretReplica', size =>
    requiring({ resourceRequest: entries(size, i => [`example.com/r${i}`, '1']) }),
  ),
  answer('affinity-terms', 40_000, 'InterpretReplica', size =>
    requiring({ nodeClaim: { hardNodeAffinity: { nodeSelectorTerms: range(size, () => ({})) } } }),
  ),
  answer('selector-text', 2 << 20, 'InterpretDependency', size => selecting({ matchLabels: 'x'.repeat(size) })),
  answer('selector-values', 90_000, 'InterpretDependency', size =>
    selecting({ matchExpressions: [{ key: 'a', operator: 'In', values: range(size, i => `v${i}`) }] }),
  ),
];
