import t from 'tap';
import type { KubeObject } from '../../../openapi/interface.js';
import { StatusError } from '../../../openapi/meta/status.js';
import { prune } from '../../../openapi/schema/prune.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../../registry/admission/interface.js';
import { karmadaAdmission } from '../../../registry/admission/karmada.js';
import type { Client, ResourceDefinition } from '../../../registry/interface.js';
import { featureGates } from '../../../registry/kinds/karmada/feature-gates.js';
import { resources } from '../../../registry/kinds/karmada/well-known.js';
import { golden } from '../../data.js';
import { serveCustomResources } from '../kinds/karmada/custom-world.js';
import { withoutShownStruct } from '../kinds/karmada/golden-admission.js';
import { admin, configmaps, refusal } from '../serve.js';

interface Input {
  readonly kind: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly namespace?: string;
  readonly object: KubeObject;
  readonly oldObject?: KubeObject;
  readonly quotas?: readonly KubeObject[];
  readonly featureGates?: readonly string[];
}

interface Output {
  readonly allowed: boolean;
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly object?: KubeObject;
  readonly overallUsed?: Readonly<Record<string, unknown>>;
}

const cases = golden<Input, Output>('admission').cases.filter(({ input }) => input.kind !== 'Cluster');

/** Null and absent are the same; random ids are not compared. */
function comparable(object: unknown): unknown {
  const text = JSON.stringify(object, (_key, value: unknown) => (value === null ? undefined : value));
  return JSON.parse(text.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>'));
}

interface World {
  readonly client: Client;
  definitionOf(kind: string): ResourceDefinition;
}

async function world(t: Tap): Promise<World> {
  const { client, catalogue } = await serveCustomResources(t);
  return {
    client,
    definitionOf(kind) {
      const found = [...catalogue.all()].find(definition => definition.kind === kind);
      if (!found) throw new Error(`no ${kind}`);
      return found;
    },
  };
}

type Tap = Parameters<typeof serveCustomResources>[0];

function requestOf(
  { operation, namespace = '', object, oldObject, kind }: Input,
  { definitionOf }: World,
): AdmissionRequest {
  const definition = definitionOf(kind);
  const schema = definition.versions.find(v => v.name === definition.storageVersion)?.schema ?? {};
  const draft = structuredClone(object);
  if (definition.wire.itemsCarryType) prune(draft, schema, { root: true });
  const isDelete = operation === 'DELETE';
  return {
    operation,
    definition,
    version: definition.storageVersion,
    subresource: '',
    namespace,
    name: object.metadata.name ?? '',
    user: admin,
    dryRun: false,
    options: {},
    object: isDelete ? undefined : draft,
    old: isDelete ? draft : oldObject,
    warn: () => undefined,
  };
}

async function verdict(plugin: AdmissionPlugin, request: AdmissionRequest): Promise<Output> {
  try {
    await plugin.mutate?.(request);
    await plugin.validate?.(request);
    return { allowed: true, ...(request.object && { object: request.object }) };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { code = 0, reason = '' } = error.status;
    const [, message = ''] =
      /^admission webhook "[a-z.]+\.karmada\.io" denied the request: (.*)$/s.exec(error.message) ?? [];
    return { allowed: false, code, reason, message };
  }
}

t.test('as karmada-webhook', async t => {
  const there = await world(t);
  const { client } = there;
  for (const { name, input, output } of cases) {
    const gates = featureGates(Object.fromEntries((input.featureGates ?? []).map(gate => [gate, true])));
    for (const quota of input.quotas ?? []) {
      await client.create(resources.federatedResourceQuotas, structuredClone(quota));
      const made = await client.get(resources.federatedResourceQuotas, quota.metadata as { name: string });
      const status = quota['status'];
      await client.update(resources.federatedResourceQuotas, { ...made, status }, { subresource: 'status' });
    }
    const found = await verdict(karmadaAdmission({ client, gates }), requestOf(input, there));
    t.equal(found.allowed, output.allowed, `${name}: ${found.message ?? 'allowed'}`);
    if (!output.allowed) {
      const { message = '', code, reason } = output;
      t.same(
        { ...found, message: withoutShownStruct(found.message ?? '') },
        { allowed: false, code, reason, message: withoutShownStruct(message) },
        name,
      );
    } else if (output.object) t.same(comparable(found.object), comparable(output.object), `${name}: object`);
    for (const quota of input.quotas ?? []) {
      const key = quota.metadata as { name: string };
      const { status } = await client.get(resources.federatedResourceQuotas, key);
      const { overallUsed } = status as { overallUsed?: unknown };
      t.same(comparable(overallUsed ?? {}), comparable(output.overallUsed?.[key.name] ?? {}), `${name}: ${key.name}`);
      await client.delete(resources.federatedResourceQuotas, key);
    }
  }
});

const policy = (spec: object, name = 'p'): KubeObject => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: { name, namespace: 'default' },
  spec: { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a' }], ...spec },
});

t.test('on the way to the store', async t => {
  const { client } = await serveCustomResources(t);
  const made = await client.create(
    resources.propagationPolicies,
    policy({ placement: { clusterAffinity: { clusterNames: [] } }, priority: 0, association: false }),
  );
  t.match(made.metadata, {
    finalizers: ['karmada.io/propagation-policy-controller'],
    labels: { 'propagationpolicy.karmada.io/permanent-id': /^[0-9a-f-]{36}$/ },
  });
  t.same(
    made['spec'],
    {
      conflictResolution: 'Abort',
      placement: { clusterAffinity: {} },
      preemption: 'Never',
      priority: 0,
      resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', namespace: 'default' }],
      schedulerName: 'default-scheduler',
    },
    'defaults of the schema, what the webhook completes, and nothing that is empty',
  );

  const table = [
    {
      name: 'a wrong value',
      given: policy({ preemption: 'Always', resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }] }, 'q'),
      expect:
        '403 Forbidden: admission webhook "propagationpolicy.karmada.io" denied the request: spec.resourceSelectors[0].name: Invalid value: "": name cannot be empty if preemption is Always, the empty name may cause unexpected resources preemption',
    },
    {
      name: 'what Go could not read',
      given: policy({ priority: 'high' }, 'q'),
      expect:
        '400 : admission webhook "propagationpolicy.karmada.io" denied the request: json: cannot unmarshal string into Go struct field PropagationSpec.spec.priority of type int32',
    },
    {
      name: 'a struct as Go shows it',
      given: policy({ placement: { clusterAffinities: [{ affinityName: 'x' }], clusterAffinity: {} } }, 'q'),
      expect:
        '403 Forbidden: admission webhook "propagationpolicy.karmada.io" denied the request: spec.placement: Invalid value: {"clusterAffinity":{},"clusterAffinities":[{"affinityName":"x"}]}: clusterAffinities cannot co-exist with clusterAffinity',
    },
    {
      name: 'what the schema refuses',
      given: policy({ activationPreference: 'Soon' }, 'q'),
      expect:
        '422 Invalid: PropagationPolicy.policy.karmada.io "q" is invalid: spec.activationPreference: Unsupported value: "Soon": supported values: "Lazy"',
    },
  ];
  for (const { name, given, expect } of table)
    t.equal(await refusal(client.create(resources.propagationPolicies, given)), expect, name);
});

t.test('protected objects', async t => {
  const { client } = await serveCustomResources(t);
  const key = { namespace: 'default', name: 'settings' };
  const labels = { 'resourcetemplate.karmada.io/deletion-protected': 'Always' };
  await client.create(configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...key, labels } });
  t.equal(
    await refusal(client.delete(configmaps, key)),
    '403 Forbidden: admission webhook "resourcedeletionprotection.karmada.io" denied the request: This resource is protected, please make sure to remove the label: resourcetemplate.karmada.io/deletion-protected',
  );
  t.match(await refusal(client.deleteCollection(configmaps, { namespace: 'default' })), /^403 Forbidden/);
  await client.patch(configmaps, key, { type: 'merge', patch: { metadata: { labels: null } } });
  t.equal(await refusal(client.delete(configmaps, key)), 'allowed');
});

t.test('quotas are charged by many at once', async t => {
  const { client } = await serveCustomResources(t, { FederatedQuotaEnforcement: true });
  const binding = (name: string): KubeObject => ({
    apiVersion: 'work.karmada.io/v1alpha2',
    kind: 'ResourceBinding',
    metadata: { name, namespace: 'default' },
    spec: {
      resource: { apiVersion: 'apps/v1', kind: 'Deployment', name, namespace: 'default' },
      replicaRequirements: { resourceRequest: { cpu: '500m' } },
      clusters: [{ name: 'm1', replicas: 2 }],
    },
  });
  const key = { namespace: 'default', name: 'q' };
  const used = async () =>
    ((await client.get(resources.federatedResourceQuotas, key))['status'] as { overallUsed?: unknown } | undefined)
      ?.overallUsed;
  await client.create(resources.federatedResourceQuotas, {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'FederatedResourceQuota',
    metadata: { ...key },
    spec: { overall: { cpu: '3' } },
  });
  await client.create(resources.resourceBindings, binding('trial'), { dryRun: true });
  t.equal(await used(), undefined, 'a dry run charges nothing');
  await Promise.all(['a', 'b', 'c'].map(name => client.create(resources.resourceBindings, binding(name))));
  t.same(await used(), { cpu: '3' });
  t.equal(
    await refusal(client.create(resources.resourceBindings, binding('d'))),
    '403 QuotaExceeded: admission webhook "resourcebinding.karmada.io" denied the request: FederatedResourceQuota(default/q) exceeded for resource cpu: requested sum 4, limit 3.',
  );
  const fewer = { spec: { clusters: [{ name: 'm1', replicas: 1 }] } };
  await client.patch(resources.resourceBindings, { namespace: 'default', name: 'a' }, { type: 'merge', patch: fewer });
  t.same(await used(), { cpu: '2500m' }, 'fewer replicas free what they used');
});

t.test('bindings in their old version', async t => {
  const { client } = await serveCustomResources(t);
  const old = { ...resources.resourceBindings, version: 'v1alpha1' };
  const key = { namespace: 'default', name: 'web-deployment' };
  const resource = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' };
  await client.create(old, {
    apiVersion: 'work.karmada.io/v1alpha1',
    kind: 'ResourceBinding',
    metadata: { ...key },
    spec: {
      resource: { ...resource, replicas: 3, resourcePerReplicas: { cpu: '1' } },
      clusters: [{ name: 'm1', replicas: 3 }],
    },
  });
  const stored = await client.get(resources.resourceBindings, key);
  t.match(stored.metadata.labels, { 'resourcebinding.karmada.io/permanent-id': String });
  t.match(stored['spec'], {
    resource,
    replicas: 3,
    replicaRequirements: { resourceRequest: { cpu: '1' } },
    clusters: [{ name: 'm1', replicas: 3 }],
  });
  const shown = await client.get(old, key);
  t.equal(shown.apiVersion, 'work.karmada.io/v1alpha1');
  t.same(shown['spec'], {
    clusters: [{ name: 'm1', replicas: 3 }],
    resource: { ...resource, replicas: 3, resourcePerReplicas: { cpu: '1' } },
  });
});
