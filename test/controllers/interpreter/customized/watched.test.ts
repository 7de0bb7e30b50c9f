/** A ResourceInterpreterCustomization counts for templates that are reconciled after it was written. */
import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { bindingName } from '../../../../api/karmada/names.js';
import type { Binding } from '../../../../api/karmada/types.js';
import { resources } from '../../../../api/karmada/well-known.js';
import { featureGates } from '../../../../kinds/karmada/feature-gates.js';
import { find } from '../../../../client/find.js';
import { createControllerContext } from '../../../../client/runtime/context.js';
import { customizedInterpreter } from '../../../../controllers/interpreter/customized/customized.js';
import { watchRules } from '../../../../controllers/interpreter/customized/watch-rules.js';
import { ScriptRunner } from '../../../../controllers/interpreter/lua/runner.js';
import { nativeInterpreter } from '../../../../controllers/interpreter/native/native.js';
import { tieredInterpreter } from '../../../../controllers/interpreter/tiers.js';
import { startDetector } from '../../../../controllers/policy/detector.js';
import { watchTemplates } from '../../../../controllers/policy/templates.js';
import { systemClock } from '../../../../lib/clock.js';
import { silent } from '../../../../server/logger.js';
import { serveCustomResources } from '../../../kinds/karmada/custom-world.js';
import { configMap, configmaps } from '../../../registry/serve.js';
import { until } from '../../../storage/until.js';

const customization = (replicas: number): KubeObject => ({
  ...{ apiVersion: 'config.karmada.io/v1alpha1', kind: 'ResourceInterpreterCustomization', metadata: { name: 'maps' } },
  spec: {
    target: { apiVersion: 'v1', kind: 'ConfigMap' },
    customizations: { replicaResource: { luaScript: `function GetReplicas(o) return ${replicas} end` } },
  },
});

const policy: KubeObject = {
  ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind: 'PropagationPolicy' },
  metadata: { namespace: 'default', name: 'p' },
  spec: {
    resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
    placement: { clusterAffinity: { clusterNames: ['m1'] } },
  },
};

t.test('a customization that is written, changed and deleted', async t => {
  const { client } = await serveCustomResources(t);
  const stopping = new AbortController();
  const context = createControllerContext({ client, clock: systemClock, log: silent, signal: stopping.signal });
  const runner = new ScriptRunner();
  t.teardown(async () => {
    stopping.abort();
    await runner.close();
    await context.finished();
  });
  await client.create(resources.interpreterCustomizations, customization(7));
  const customized = customizedInterpreter(runner, await watchRules(context));
  const interpreter = tieredInterpreter([customized, nativeInterpreter]);
  const templates = await watchTemplates(context, { skippedNamespaces: [] });
  await startDetector(context, { templates, interpreter, gates: featureGates(), preemption: false });
  await client.create(resources.propagationPolicies, policy);

  /** Resolves when the binding of the ConfigMap has that number of replicas. */
  const bound = (name: string, replicas: number | undefined) =>
    until(`${name} has ${replicas} replicas`, async () => {
      const key = { namespace: 'default', name: bindingName('ConfigMap', name) };
      const binding = (await find(client, resources.resourceBindings, key)) as Binding | undefined;
      return binding !== undefined && binding.spec.replicas === replicas;
    });
  const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
  await client.create(configmaps, configMap('a'));
  await bound('a', 7);

  const stored = await client.get(resources.interpreterCustomizations, { name: 'maps' });
  await client.update(resources.interpreterCustomizations, { ...stored, spec: customization(9)['spec'] });
  await until('the change is seen', async () => {
    return (await interpreter.replicas(configMap('x'))).replicas === 9;
  });
  await client.create(configmaps, configMap('b'));
  await bound('b', 9);

  await client.delete(resources.interpreterCustomizations, { name: 'maps' });
  await until('the deletion is seen', () => !interpreter.has(kind, 'InterpretReplica'));
  await client.create(configmaps, configMap('c'));
  await bound('c', undefined);
});
