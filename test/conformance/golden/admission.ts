import type { Test } from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { StatusError } from '../../../apimachinery/errors/status.js';
import { canonical } from '../../../apimachinery/codec/canonical.js';
import { prune } from '../../../openapi/schema/prune.js';
import { masters } from '../../../authn/access/authorizers.js';
import { chain } from '../../../admission/chain.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../../registry/admission-plugin.js';
import { karmadaAdmission } from '../../../admission/karmada/karmada.js';
import { tenantBoundaries } from '../../../admission/karmada/tenants/tenant-boundaries.js';
import type { ResourceDefinition, StrategyContext } from '../../../registry/interface.js';
import { clusterDefinition } from '../../../kinds/karmada/clusters/cluster.js';
import { featureGates } from '../../../kinds/karmada/feature-gates.js';
import { resources } from '../../../api/karmada/well-known.js';
import { conformChange, conformNew } from '../../../registry/pipeline/conform.js';
import { serveCustomResources } from '../../kinds/karmada/custom-world.js';
import { withoutShownStruct } from './shown-struct.js';
import { admin, type Served } from '../../registry/serve.js';
import { check, type Comparison } from './check.js';

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

/** Returns the object without random ids and the time of the request. */
function comparable(object: unknown): unknown {
  const text = JSON.stringify(object, (key, value: unknown) =>
    value === null ? undefined : key === 'timeAdded' ? '<now>' : value,
  );
  return JSON.parse(text.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>'));
}

function definitionOf({ catalogue }: Served, kind: string): ResourceDefinition {
  const found = [...catalogue.all()].find(definition => definition.kind === kind);
  if (!found) throw new Error(`no ${kind}`);
  return found;
}

function requestOf(input: Input, served: Served): AdmissionRequest {
  const { operation, namespace = '', object, oldObject, kind } = input;
  const definition = definitionOf(served, kind);
  const schema = definition.versions.find(({ name }) => name === definition.storageVersion)?.schema ?? {};
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
    annotate: () => undefined,
  };
}

async function decide(plugin: AdmissionPlugin, request: AdmissionRequest): Promise<Output> {
  try {
    await plugin.mutate?.(request);
    await plugin.validate?.(request);
    return { allowed: true, ...(request.object && { object: request.object }) };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { code = 0, reason = '' } = error.status;
    const denied = /^admission webhook "[a-z.]+\.karmada\.io" denied the request: (.*)$/s;
    const [, message = ''] = denied.exec(error.message) ?? [];
    return { allowed: false, code, reason, message };
  }
}

/** Runs `work` with the quotas created, and returns the usage of each quota afterwards. */
async function withQuotas({ client }: Served, quotas: readonly KubeObject[], work: () => Promise<void>) {
  const { federatedResourceQuotas } = resources;
  for (const quota of quotas) {
    const made = await client.create(federatedResourceQuotas, structuredClone(quota));
    await client.update(
      federatedResourceQuotas,
      { ...made, status: structuredClone(quota['status']) },
      { subresource: 'status' },
    );
  }
  await work();
  const used: Record<string, unknown> = {};
  for (const { metadata } of quotas) {
    const key = metadata as { name: string };
    const { status } = await client.get(federatedResourceQuotas, key);
    used[key.name] = (status as { overallUsed?: unknown }).overallUsed ?? {};
    await client.delete(federatedResourceQuotas, key);
  }
  return used;
}

type CustomServed = Awaited<ReturnType<typeof serveCustomResources>>;

async function compare(served: CustomServed, input: Input, output: Output): Promise<Comparison> {
  const switched = Object.fromEntries((input.featureGates ?? []).map(gate => [gate, true]));
  const plugin = chain([
    karmadaAdmission({ client: served.client, offload: served.offload, gates: featureGates(switched) }),
    tenantBoundaries('enforce', masters),
  ]);
  const quotas = input.quotas ?? [];
  let found: Output = { allowed: false };
  const used = await withQuotas(served, quotas, async () => {
    found = await decide(plugin, requestOf(input, served));
  });
  const { allowed, message = '', code, reason } = output;
  const wantedUse = Object.fromEntries(
    quotas.map(({ metadata: { name = '' } }) => [name, output.overallUsed?.[name] ?? {}]),
  );
  const refusal = (text = ''): string => withoutShownStruct(text);
  return {
    want: {
      allowed,
      ...(!allowed && { code, reason, message: refusal(message) }),
      ...(allowed && output.object && { object: comparable(output.object) }),
      used: comparable(wantedUse),
    },
    got: {
      allowed: found.allowed,
      ...(!found.allowed && { code: found.code, reason: found.reason, message: refusal(found.message) }),
      ...(found.allowed && output.object && { object: comparable(found.object) }),
      used: comparable(used),
    },
  };
}

/** One server for all vectors of a run. */
let serving: Promise<CustomServed> | undefined;
const endings: (() => unknown)[] = [];

const lifetime = {
  teardown: (end: () => unknown) => void endings.push(end),
  fail: (message: string) => {
    throw new Error(message);
  },
} as unknown as Test;

export const webhookAdmission = check<Input, Output>({
  area: 'admission',
  part: 'karmada-webhook',
  covers: ({ kind }) => kind !== 'Cluster',
  compare: async (input, output) => compare(await (serving ??= serveCustomResources(lifetime)), input, output),
  async end() {
    for (const end of endings.splice(0).reverse()) await end();
    serving = undefined;
  },
});

const context = (operation: 'create' | 'update'): StrategyContext => ({
  user: { name: 'admin', groups: [] },
  operation,
  namespace: '',
  subresource: '',
  version: 'v1alpha1',
  dryRun: false,
  now: new Date(Date.UTC(2026, 0, 1)),
  warn: () => undefined,
});

function conform(definition: ResourceDefinition, { object, oldObject }: Input): KubeObject {
  const schema = definition.versions[0]?.schema ?? {};
  const draft = canonical<KubeObject>(object, schema).object;
  if (oldObject) {
    const old = canonical<KubeObject>(oldObject, schema).object;
    const { prepareUpdate, validateUpdate } = definition.strategy;
    conformChange(definition, { prepareUpdate, validateUpdate }, { draft, old, context: context('update') });
  } else conformNew(definition, draft, context('create'));
  return canonical<KubeObject>(draft, schema).object;
}

/** Returns the message as Go joins errors. */
function joined(error: StatusError): string {
  const causes = (error.status.details?.causes ?? []).map(cause => `${cause.field}: ${cause.message}`);
  return causes.length === 1 ? (causes[0] ?? '') : `[${causes.join(', ')}]`;
}

const clusters = clusterDefinition(featureGates());

export const clusterAdmission = check<Input, Output>({
  area: 'admission',
  part: 'karmada-aggregated-apiserver',
  covers: ({ kind }) => kind === 'Cluster',
  compare(input, { allowed, message, object }) {
    const want = allowed
      ? comparable({ apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', ...object })
      : withoutShownStruct(message ?? '');
    try {
      return { want, got: comparable(conform(clusters, input)) };
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return { want, got: withoutShownStruct(joined(error)) };
    }
  },
});
