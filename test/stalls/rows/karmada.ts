/** Templates, policies and overrides of a tenant, with controllers and a simulated member. */
import { setTimeout } from 'node:timers/promises';
import type { Row, Fixture } from '../row.js';
import {
  configMap,
  configMaps,
  container,
  deployment,
  deployments,
  entries,
  get,
  many,
  object,
  post,
  range,
  remove,
} from './objects.js';

const flags = ['--members', '1'];
const policies = '/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies';
const overrides = '/apis/policy.karmada.io/v1alpha1/namespaces/default/overridepolicies';
const bindings = '/apis/work.karmada.io/v1alpha2/namespaces/default/resourcebindings';

const maxTextBytes = 900_000; // The limit for the data of a ConfigMap is 1 MiB.
/** The containers of one template. */
const maxContainers = 2000;
/** Bytes in the watch history: templates, bindings and Works of a megabyte each, for every change of their status. */
const history = 32 << 20;

/** Waits until the binding of the template was scheduled and its Work was written, or either has failed. */
async function propagated(fixture: Fixture, binding: string): Promise<void> {
  // Nothing comes of some policies, for which less time is enough in the play that is not measured.
  for (let i = 0; i < (fixture.warmUp ? 50 : 150); i++) {
    const { status, text } = await fixture.send(get(`${bindings}/${binding}`));
    // `send` truncates response bodies; a binding of this length has been scheduled.
    if (status === 200 && (/FullyApplied|ApplyOverridePolicyFailed|"Failed/.test(text) || text.length > 4000)) break;
    await setTimeout(20);
  }
}

/** Returns a policy that propagates to the first member. */
export const policyOf = (name: string, spec: object): object =>
  object('policy.karmada.io/v1alpha1', 'PropagationPolicy', name, {
    spec: { placement: { clusterAffinity: { clusterNames: ['member1'] } }, ...spec },
  });

interface Templated {
  readonly data?: Readonly<Record<string, string>>;
  readonly overriders: object;
}

/** Propagates a ConfigMap with an OverridePolicy. */
const override = (name: string, size: number, make: (size: number) => Templated): Row => ({
  name: `overrides/${name}`,
  size,
  flags,
  retainedBytes: history,
  async play(fixture) {
    const own = fixture.name();
    const { data = { k: 'v' }, overriders } = make(fixture.size);
    const resourceSelectors = [{ apiVersion: 'v1', kind: 'ConfigMap', name: own }];
    const made = object('policy.karmada.io/v1alpha1', 'OverridePolicy', own, {
      spec: { resourceSelectors, overrideRules: [{ overriders }] },
    });
    const { status } = await fixture.send(post(overrides, made));
    await fixture.must(post(policies, policyOf(own, { resourceSelectors })));
    const created = await fixture.send(post(configMaps, configMap(own, { data })));
    if (created.status === 201) await propagated(fixture, `${own}-configmap`);
    if (created.status === 201) await fixture.must(remove(`${configMaps}/${own}`));
    await fixture.must(remove(`${policies}/${own}`));
    if (status === 201) await fixture.must(remove(`${overrides}/${own}`));
  },
});

const replace = (subPath: string): object => ({ subPath, operator: 'replace', value: 'w' });
const yamlField = (name: string, size: number, text: (size: number) => string): Row =>
  override(`yaml-${name}`, size, size => ({
    data: { k: text(size) },
    overriders: { fieldOverrider: [{ fieldPath: '/data/k', yaml: [replace('/k1')] }] },
  }));
const jsonField = (name: string, size: number, text: (size: number) => string): Row =>
  override(`json-${name}`, size, size => ({
    data: { k: text(size) },
    overriders: { fieldOverrider: [{ fieldPath: '/data/k', json: [replace('/k1')] }] },
  }));

const overrideRows: readonly Row[] = [
  yamlField('keys', maxTextBytes, size => many(size, i => `k${i}: v\n`)),
  yamlField('flow-list', maxTextBytes, size => `k1: [${many(size, i => `${i},`)}]`),
  yamlField('braces', maxTextBytes, size => '}'.repeat(size)),
  yamlField('quotes', maxTextBytes, size => '"'.repeat(size)),
  yamlField('documents', maxTextBytes, size => '---\n'.repeat(size / 4)),
  yamlField(
    'laughs',
    2000,
    size => `a0: &a0 [x,x]\n${many(size, i => `a${i + 1}: &a${i + 1} [*a${i},*a${i}]\n`)}k1: v\n`,
  ),
  yamlField('deep', maxTextBytes, size => `k1: ${'['.repeat(size / 2)}${']'.repeat(size / 2)}`),
  jsonField('keys', maxTextBytes, size => `{"k1":"v"${many(size, i => `,"x${i}":"v"`)}}`),
  jsonField('deep', maxTextBytes, size => `{"k1":${'['.repeat(size / 2)}${']'.repeat(size / 2)}}`),
  jsonField('numbers', maxTextBytes, size => `{"k1":[1${',1'.repeat(size / 2)}]}`),
  override('plaintext-many', 5000, size => ({
    overriders: { plaintext: range(size, i => ({ path: `/data/k${i}`, operator: 'add', value: 'v' })) },
  })),
  override('plaintext-labels', 30_000, size => ({
    overriders: {
      plaintext: [{ path: '/metadata/labels', operator: 'add', value: entries(size, i => [`k${i}`, 'v']) }],
    },
  })),
  override('field-many', 2000, size => ({
    data: { k: many(size * 20, i => `k${i}: v\n`) },
    overriders: { fieldOverrider: [{ fieldPath: '/data/k', yaml: range(size, i => replace(`/k${i}`)) }] },
  })),
  override('fields', 200, size => ({
    data: { k: many(size * 200, i => `k${i}: v\n`) },
    overriders: { fieldOverrider: range(size, () => ({ fieldPath: '/data/k', yaml: [replace('/k1')] })) },
  })),
  override('label-overriders', 5000, size => ({
    overriders: {
      labelsOverrider: [
        { operator: 'add', value: entries(size, i => [`k${i}`, 'v']) },
        ...range(size, i => ({ operator: 'replace', value: { [`k${i}`]: 'w' } })),
      ],
    },
  })),
  override('labels', 20_000, size => ({
    overriders: { labelsOverrider: [{ operator: 'addIfAbsent', value: entries(size, i => [`k${i}`, 'v']) }] },
  })),
];

/** Propagates a Deployment of many containers with an OverridePolicy. */
const containers = (name: string, size: number, make: (size: number, own: string) => object): Row => ({
  name: `overrides/${name}`,
  size,
  flags,
  retainedBytes: history,
  async play(fixture) {
    const own = fixture.name();
    const resourceSelectors = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: own }];
    const made = object('policy.karmada.io/v1alpha1', 'OverridePolicy', own, {
      spec: { resourceSelectors, overrideRules: [{ overriders: make(fixture.size, own) }] },
    });
    await fixture.must(post(overrides, made));
    await fixture.must(post(policies, policyOf(own, { resourceSelectors })));
    await fixture.must(post(deployments, deployment(own, range(maxContainers, container))));
    await propagated(fixture, `${own}-deployment`);
    await fixture.must(remove(`${deployments}/${own}`));
    await fixture.must(remove(`${policies}/${own}`));
    await fixture.must(remove(`${overrides}/${own}`));
  },
});

const containerRows: readonly Row[] = [
  containers('images', 100, size => ({
    imageOverrider: range(size, i => ({ component: 'Tag', operator: 'replace', value: `v${i}` })),
  })),
  containers('image-copies', 1_000_000, size => ({
    imageOverrider: [{ component: 'Registry', operator: 'add', value: 'x'.repeat(size) }],
  })),
  containers('commands', 5000, size => ({
    commandOverrider: [
      { containerName: 'c0', operator: 'add', value: range(size, i => `w${i}`) },
      ...range(15, () => ({ containerName: 'c0', operator: 'remove', value: range(size / 2, i => `w${2 * i}`) })),
    ],
  })),
];

/** The templates of a policy: some, so that what is done for each of them would add up. */
const templates = 4;

/** Creates a large PropagationPolicy, and templates that it may match. */
const policy = (name: string, size: number, spec: (size: number, own: string) => object): Row => ({
  name: `policies/${name}`,
  size,
  flags,
  retainedBytes: history,
  async play(fixture) {
    const own = fixture.name();
    const { status } = await fixture.send(post(policies, policyOf(own, spec(fixture.size, own))));
    const names = range(templates, () => fixture.name());
    for (const each of names) await fixture.must(post(configMaps, configMap(each, { metadata: { labels: { own } } })));
    if (status === 201) await propagated(fixture, `${names[0]}-configmap`);
    for (const each of names) await fixture.must(remove(`${configMaps}/${each}`));
    if (status === 201) await fixture.must(remove(`${policies}/${own}`));
  },
});

const allOfOwn = (own: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  labelSelector: { matchLabels: { own } },
});
const expression = (i: number): object => ({ key: `k${i}`, operator: 'NotIn', values: ['v'] });

const policyRows: readonly Row[] = [
  policy('selectors', 10_000, (size, own) => ({
    resourceSelectors: [
      ...range(size, i => ({ apiVersion: 'v1', kind: 'ConfigMap', name: `none-${i}` })),
      allOfOwn(own), // The end of the play is known: the last selector selects the templates.
    ],
  })),
  policy('expressions', 15_000, (size, own) => ({
    resourceSelectors: [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        labelSelector: { matchLabels: { own }, matchExpressions: range(size, expression) },
      },
    ],
  })),
  policy('values', 50_000, (size, own) => ({
    resourceSelectors: [
      {
        ...allOfOwn(own),
        labelSelector: { matchExpressions: [{ key: 'own', operator: 'NotIn', values: range(size, i => `v${i}`) }] },
      },
    ],
  })),
  policy('cluster-names', 50_000, (size, own) => ({
    resourceSelectors: [allOfOwn(own)],
    placement: { clusterAffinity: { clusterNames: range(size, i => `member${i}`) } },
  })),
  policy('affinities', 5000, (size, own) => ({
    resourceSelectors: [allOfOwn(own)],
    placement: { clusterAffinities: range(size, i => ({ affinityName: `a${i}`, clusterNames: [`none${i}`] })) },
  })),
  policy('tolerations', 10_000, (size, own) => ({
    resourceSelectors: [allOfOwn(own)],
    placement: { clusterTolerations: range(size, i => ({ key: `k${i}`, operator: 'Exists' })) },
  })),
  policy('weights', 5000, (size, own) => ({
    resourceSelectors: [allOfOwn(own)],
    placement: {
      replicaScheduling: {
        ...{ replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Weighted' },
        weightPreference: {
          staticWeightList: range(size, i => ({ targetCluster: { clusterNames: [`m${i}`] }, weight: 1 })),
        },
      },
    },
  })),
  {
    name: 'policies/replicas',
    size: 2_147_483_647,
    flags,
    async play(fixture) {
      const own = fixture.name();
      const resourceSelectors = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: own }];
      const placement = {
        clusterAffinity: { clusterNames: ['member1'] },
        replicaScheduling: { replicaSchedulingType: 'Divided', replicaDivisionPreference: 'Weighted' },
      };
      // Dispatching is suspended, so that the member does not create the Pods.
      const suspension = { dispatching: true };
      await fixture.must(post(policies, policyOf(own, { resourceSelectors, placement, suspension })));
      await fixture.must(post(deployments, deployment(own, [container(0)], { replicas: fixture.size })));
      await propagated(fixture, `${own}-deployment`);
      await fixture.must(remove(`${deployments}/${own}`));
      await fixture.must(remove(`${policies}/${own}`));
    },
  },
  {
    name: 'policies/large-template',
    size: 8000,
    flags,
    async play(fixture) {
      const own = fixture.name();
      const resourceSelectors = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: own }];
      await fixture.must(post(policies, policyOf(own, { resourceSelectors })));
      const { status } = await fixture.send(post(deployments, deployment(own, range(fixture.size, container))));
      if (status === 201) await propagated(fixture, `${own}-deployment`);
      if (status === 201) await fixture.must(remove(`${deployments}/${own}`));
      await fixture.must(remove(`${policies}/${own}`));
    },
  },
  {
    name: 'policies/many-templates',
    size: 400,
    flags,
    // A dozen Events of each template and binding, which exist for an hour, and the watch history of all written objects.
    retainedBytes: 64 << 20,
    async play(fixture) {
      const own = fixture.name();
      await fixture.must(post(policies, policyOf(own, { resourceSelectors: [allOfOwn(own)] })));
      const names = range(fixture.size, () => fixture.name());
      const make = (name: string): object => configMap(name, { metadata: { labels: { own } } });
      for (let at = 0; at < names.length; at += 50)
        await Promise.all(names.slice(at, at + 50).map(name => fixture.must(post(configMaps, make(name)))));
      await propagated(fixture, `${names.at(-1)}-configmap`);
      await fixture.must(remove(`${configMaps}?labelSelector=own%3D${own}`));
      await fixture.must(remove(`${policies}/${own}`));
    },
  },
];

export const karmadaRows: readonly Row[] = [...overrideRows, ...containerRows, ...policyRows];
