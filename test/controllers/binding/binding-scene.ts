/** The binding controllers with a pipeline in this process, without a scheduler and a member. */
import type { Test } from 'tap';
import { executionNamespace } from '../../../api/karmada/names.js';
import type { Binding, BindingSpec, Work } from '../../../api/karmada/types.js';
import { annotations, resources } from '../../../api/karmada/well-known.js';
import { startBindingControllers } from '../../../controllers/binding/binding.js';
import { nativeInterpreter } from '../../../controllers/interpreter/native/native.js';
import { karmadaDefinitions } from '../../../kinds/karmada/definitions.js';
import { configMap, configmaps, namespaces } from '../../registry/serve.js';
import { until } from '../../storage/until.js';
import { detecting, policy } from '../policy/detecting.js';

const hour = 3_600_000;
const execution = executionNamespace('m1');

/**
 * Starts the binding controllers with the bindings `a` and `b`, which have a Work each; the test is the scheduler. `see` writes that the generation
 * was seen.
 */
export async function scene(t: Test) {
  const { client, context, templates, bindingOf } = await detecting(t, { definitions: karmadaDefinitions() });
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: execution } });
  await client.create(resources.clusters, {
    ...{ apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', metadata: { name: 'm1' } },
    spec: { syncMode: 'Push', apiEndpoint: 'https://m1.invalid' },
  });
  startBindingControllers(context, {
    ...{ templates, interpreter: nativeInterpreter, injectsState: false, awaitTargetsMs: () => hour },
    applyOverrides: object => Promise.resolve({ object, clusterOverrides: [], overrides: [] }),
  });
  await client.create(resources.propagationPolicies, policy('p'));
  const get = async (name: string): Promise<Binding> => {
    await until(`${name} has an id`, async () => {
      const found = await bindingOf('ConfigMap', { namespace: 'default', name });
      return found?.metadata.labels !== undefined;
    });
    return (await bindingOf('ConfigMap', { namespace: 'default', name })) as Binding;
  };
  const see = async (name: string): Promise<void> => {
    const seen = await get(name);
    const status = { schedulerObservedGeneration: seen.metadata.generation ?? 0 };
    await client.update(resources.resourceBindings, { ...seen, status }, { subresource: 'status' });
  };
  const change = async (name: string, spec: Partial<BindingSpec>): Promise<void> => {
    const found = await get(name);
    await client.update(resources.resourceBindings, { ...found, spec: { ...found.spec, ...spec } });
  };
  /** Resolves when the Work has this resolution of conflicts. */
  const has = (name: string, resolution: string): Promise<void> =>
    until(`the Work of ${name} has ${resolution}`, async () => (await resolutionOf(name)) === resolution);
  const workOf = async (name: string): Promise<Work | undefined> => {
    const works = (await client.list(resources.works, { namespace: execution })).items as Work[];
    return works.find(({ spec }) => spec.workload?.manifests?.[0]?.metadata.name === name);
  };
  const resolutionOf = async (name: string): Promise<string | undefined> =>
    (await workOf(name))?.metadata.annotations?.[annotations.conflictResolution];
  for (const name of ['a', 'b']) {
    await client.create(configmaps, configMap(name));
    await change(name, { replicas: 1, clusters: [{ name: 'm1', replicas: 1 }] });
    await see(name);
    await has(name, 'abort');
  }
  return { client, see, change, has, workOf, resolutionOf };
}
