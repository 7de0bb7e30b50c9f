import t from 'tap';
import { StatusError } from '../../../../openapi/meta/status.js';
import type { KubeObject } from '../../../../openapi/interface.js';
import { canonical } from '../../../../openapi/schema/canonical.js';
import type { Schema } from '../../../../openapi/schema/interface.js';
import type { ResourceDefinition, StrategyContext } from '../../../../registry/interface.js';
import { clusterDefinition } from '../../../../registry/kinds/karmada/cluster.js';
import { karmadaDefinitions } from '../../../../registry/kinds/karmada/definitions.js';
import { describeKarmada } from '../../../../registry/kinds/karmada/descriptions.js';
import { featureGates } from '../../../../registry/kinds/karmada/feature-gates.js';
import { conformChange, conformNew } from '../../../../registry/pipeline/conform.js';
import { withoutShownStruct } from './golden-admission.js';
import { golden } from '../../../data.js';

interface Input {
  readonly kind: string;
  readonly operation: 'CREATE' | 'UPDATE';
  readonly object: KubeObject;
  readonly oldObject?: KubeObject;
}

interface Output {
  readonly allowed: boolean;
  readonly message?: string;
  readonly object?: KubeObject;
}

const now = new Date(Date.UTC(2026, 0, 1));

const context = (operation: 'create' | 'update'): StrategyContext => ({
  user: { name: 'admin', groups: [] },
  operation,
  namespace: '',
  subresource: '',
  version: 'v1alpha1',
  dryRun: false,
  now,
  warn: () => undefined,
});

function conform(definition: ResourceDefinition, { object, oldObject }: Input): KubeObject {
  const schema = definition.versions[0]?.schema ?? {};
  const draft = canonical<KubeObject>(object, schema).object;
  if (oldObject) {
    const old = canonical<KubeObject>(oldObject, schema).object;
    const { prepareUpdate, validateUpdate } = definition.strategy;
    conformChange(definition, { prepareUpdate, validateUpdate }, draft, old, context('update'));
  } else conformNew(definition, draft, context('create'));
  return canonical<KubeObject>(draft, schema).object;
}

/** As Go joins them. */
function refusalOf(error: unknown): string {
  if (!(error instanceof StatusError)) throw error;
  const causes = (error.status.details?.causes ?? []).map(cause => `${cause.field}: ${cause.message}`);
  return causes.length === 1 ? (causes[0] ?? '') : `[${causes.join(', ')}]`;
}

t.test('as the aggregated API server', async t => {
  const definition = clusterDefinition(featureGates());
  const cases = golden<Input, Output>('admission').cases.filter(c => c.input.kind === 'Cluster');
  t.ok(cases.length > 40);
  for (const { name, input, output } of cases) {
    if (output.allowed) {
      const { apiVersion, kind, ...rest } = conform(definition, input);
      t.same({ apiVersion, kind }, { apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster' }, name);
      t.same(withoutTimes(rest), withoutTimes(output.object), name);
      continue;
    }
    try {
      conform(definition, input);
      t.fail(`${name}: is allowed`);
    } catch (error) {
      t.equal(withoutShownStruct(refusalOf(error)), withoutShownStruct(output.message ?? ''), name);
    }
  }
});

/** NoExecute taints are stamped with the time of the request. */
function withoutTimes(object: unknown): unknown {
  return JSON.parse(JSON.stringify(object), (key, value: unknown) => (key === 'timeAdded' ? '<now>' : value));
}

t.test('all fields are described', async t => {
  const missing: string[] = [];
  const visit = (schema: Schema, typeName: string): void => {
    if (!describeKarmada(typeName)) missing.push(typeName);
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (['kind', 'apiVersion', 'metadata'].includes(name)) continue;
      if (!describeKarmada(typeName, name)) missing.push(`${typeName} ${name}`);
      const inner = field.items ?? field;
      if (inner.typeName?.startsWith('com.github.karmada-io.')) visit(inner, inner.typeName);
    }
  };
  for (const { versions, verbs } of karmadaDefinitions())
    if (verbs.includes('list')) visit(versions[0]?.schema ?? {}, versions[0]?.schema.typeName ?? '');
  t.same(missing, []);
  t.equal(describeKarmada('io.k8s.api.core.v1.Pod', 'spec'), undefined);
});
