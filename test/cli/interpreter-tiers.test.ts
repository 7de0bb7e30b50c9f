/** With the gate ResourceQuotaEstimate off, only what is read from pod templates is without its priority class. */
import t from 'tap';
import type { KubeObject } from '../../apimachinery/interface.js';
import { secrets } from '../../api/kubernetes/resources.js';
import { resources } from '../../api/karmada/well-known.js';
import { interpreterTiers } from '../../cli/parts/interpreter-tiers.js';
import { customizedInterpreter } from '../../controllers/interpreter/customized/customized.js';
import { mergeRules } from '../../controllers/interpreter/customized/rules.js';
import type { Interpreter } from '../../controllers/interpreter/interface.js';
import { ScriptRunner } from '../../controllers/interpreter/lua/runner.js';
import { nativeInterpreter } from '../../controllers/interpreter/native/native.js';
import { featureGates } from '../../kinds/karmada/feature-gates.js';
import { detecting, policy } from '../controllers/policy/detecting.js';
import { configMap, configmaps, deployment, deployments } from '../registry/serve.js';
import { until } from '../storage/until.js';

const key = { namespace: 'default', name: 'a' };
const resourceRequest = { cpu: '250m' };
const answered = { resourceRequest, priorityClassName: 'high' };

const scripted = (luaScript: string): KubeObject => ({
  ...{ apiVersion: 'config.karmada.io/v1alpha1', kind: 'ResourceInterpreterCustomization', metadata: { name: 'c' } },
  spec: { target: { apiVersion: 'v1', kind: 'ConfigMap' }, customizations: { replicaResource: { luaScript } } },
});
const ownAnswer = `function GetReplicas(o)
  return 1, { resourceRequest = { cpu = '250m' }, priorityClassName = 'high' }
end`;
const fromTemplate = `local kube = require('kube')
function GetReplicas(o)
  local containers = { { name = 'c', resources = { requests = { cpu = '250m' } } } }
  return 1, kube.accuratePodRequirements({ spec = { priorityClassName = 'high', containers = containers } })
end`;

/** Answers for Secrets, in place of a webhook. */
const webhook: Interpreter = {
  ...nativeInterpreter,
  has: ({ kind }, operation) => kind === 'Secret' && operation === 'InterpretReplica',
  replicas: () => ({ replicas: 1, requirements: { ...answered } }),
};

/** Returns a function that reports the requirements in the binding of the object `a` of a kind. */
async function requirementsWith(t: Parameters<typeof detecting>[0], script: string, isOn: boolean) {
  const rules = mergeRules([scripted(script)]);
  const runner = new ScriptRunner();
  t.teardown(() => runner.close());
  const interpreter = interpreterTiers(
    customizedInterpreter(runner, () => rules),
    () => rules,
    webhook,
  );
  const gates = featureGates({ ResourceQuotaEstimate: isOn });
  const { client, bindingOf } = await detecting(t, { gates, interpreter });
  const kinds = ['v1 ConfigMap', 'v1 Secret', 'apps/v1 Deployment'].map(text => text.split(' '));
  const resourceSelectors = kinds.map(([apiVersion = '', kind = '']) => ({ apiVersion, kind }));
  await client.create(resources.propagationPolicies, policy('p', { resourceSelectors }));
  await client.create(configmaps, configMap('a'));
  await client.create(secrets, { ...configMap('a'), kind: 'Secret', data: {} });
  const web = deployment('a') as ReturnType<typeof deployment> & { spec: { template: { spec: object } } };
  Object.assign(web.spec.template.spec, { nodeSelector: { disk: 'ssd' }, priorityClassName: 'high' });
  await client.create(deployments, web);
  return async (kind: string): Promise<unknown> => {
    await until(`the binding of the ${kind}`, async () => (await bindingOf(kind, key)) !== undefined);
    const { namespace: _, ...others } = (await bindingOf(kind, key))?.spec.replicaRequirements ?? {};
    return others;
  };
}

const nodeClaim = { nodeSelector: { disk: 'ssd' } };

t.test('with the gate off', async t => {
  const requirements = await requirementsWith(t, ownAnswer, false);
  t.strictSame(await requirements('ConfigMap'), answered, 'the answer of a script');
  t.strictSame(await requirements('Secret'), answered, 'the answer of a webhook');
  t.strictSame(await requirements('Deployment'), { nodeClaim }, 'a native kind');
  const read = await requirementsWith(t, fromTemplate, false);
  t.strictSame(await read('ConfigMap'), { resourceRequest }, 'a pod template that a script reads');
});

t.test('with the gate on', async t => {
  const requirements = await requirementsWith(t, fromTemplate, true);
  t.strictSame(await requirements('ConfigMap'), answered);
  t.strictSame(await requirements('Deployment'), { nodeClaim, priorityClassName: 'high' });
});
