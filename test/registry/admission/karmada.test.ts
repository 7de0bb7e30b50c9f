import t from 'tap';
import type { KubeObject } from '../../../openapi/interface.js';
import { StatusError } from '../../../openapi/meta/status.js';
import { prune } from '../../../openapi/schema/prune.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../../registry/admission/interface.js';
import { karmadaAdmission } from '../../../registry/admission/karmada.js';
import { createDynamic } from '../../../registry/dynamic/dynamic.js';
import { removerOf } from '../../../registry/dynamic/remover.js';
import type { Client, ResourceDefinition } from '../../../registry/interface.js';
import { installCustomResources } from '../../../registry/kinds/karmada/crds/install.js';
import { featureGates } from '../../../registry/kinds/karmada/feature-gates.js';
import { resources } from '../../../registry/kinds/karmada/well-known.js';
import { nativeDefinitions } from '../../../registry/kinds/native.js';
import { golden } from '../../data.js';
import { withoutShownStruct } from '../kinds/karmada/golden-admission.js';
import { admin, namespaces, serve } from '../serve.js';

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
  const { client, catalogue, pipeline } = await serve(t);
  const stopping = new AbortController();
  const dynamic = createDynamic({ catalogue, client, remover: removerOf(pipeline, admin), signal: stopping.signal });
  await dynamic.ready;
  t.teardown(async () => {
    stopping.abort();
    await dynamic.done;
  });
  await installCustomResources(client);
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } });
  return {
    client,
    definitionOf(kind) {
      const all = [...catalogue.all(), ...nativeDefinitions()];
      const found = all.find(definition => definition.kind === kind);
      if (!found) throw new Error(`no ${kind}`);
      return found;
    },
  };
}

type Tap = Parameters<typeof serve>[0];

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
