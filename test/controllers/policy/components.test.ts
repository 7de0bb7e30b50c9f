/** Components of templates in bindings (gate MultiplePodTemplatesScheduling), from scripts of a customization. */
import t, { type Test } from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { resources } from '../../../api/karmada/well-known.js';
import { customizedInterpreter } from '../../../controllers/interpreter/customized/customized.js';
import { mergeRules } from '../../../controllers/interpreter/customized/rules.js';
import { ScriptRunner } from '../../../controllers/interpreter/lua/runner.js';
import { featureGates } from '../../../kinds/karmada/feature-gates.js';
import { configMap, configmaps } from '../../registry/serve.js';
import { until } from '../../storage/until.js';
import { detecting, policy } from './detecting.js';

const a = { namespace: 'default', name: 'a' };
const components = `
  local kube = require('kube')
  function GetComponents(o)
    if o.data == nil then return {} end
    local found = {}
    for name, replicas in pairs(o.data) do
      if name == 'fails' then error('as expected') end
      local template = { spec = { priorityClassName = 'high', containers = { { name = 'c', resources = { requests = { cpu = '250m' } } } } } }
      local requirements = kube.accuratePodRequirements(template)
      requirements.namespace = 'default'
      found[#found + 1] = { name = string.sub(name, 1, 4), replicas = tonumber(replicas), replicaRequirements = requirements }
    end
    table.sort(found, function(x, y) return x.name < y.name end)
    return found
  end`;

const customization: KubeObject = {
  ...{ apiVersion: 'config.karmada.io/v1alpha1', kind: 'ResourceInterpreterCustomization', metadata: { name: 'maps' } },
  spec: {
    target: { apiVersion: 'v1', kind: 'ConfigMap' },
    customizations: {
      componentResource: { luaScript: components },
      replicaResource: { luaScript: 'function GetReplicas(o) return 3 end' },
    },
  },
};

/** Starts the detector with the customization of ConfigMaps and a policy for all of them. */
async function scripted(t: Test, switched: Readonly<Record<string, boolean>>) {
  const rules = mergeRules([customization]);
  const runner = new ScriptRunner();
  t.teardown(() => runner.close());
  const interpreter = customizedInterpreter(runner, () => rules);
  const detector = await detecting(t, { gates: featureGates(switched), interpreter });
  await detector.client.create(resources.propagationPolicies, policy('p'));
  const put = (data: Readonly<Record<string, string>>): Promise<KubeObject> =>
    detector.client.patch(configmaps, a, { type: 'merge', patch: { data } });
  /** Resolves with the spec of the binding when it holds. */
  const bound = async (holds: (text: string) => boolean = () => true) => {
    let spec;
    await until('the binding', async () => {
      spec = (await detector.bindingOf('ConfigMap', a))?.spec;
      return spec !== undefined && holds(JSON.stringify(spec));
    });
    return spec as unknown as Record<string, unknown>;
  };
  return { ...detector, put, bound };
}

t.test('components come before replicas, and follow the template', async t => {
  const { client, put, bound, told } = await scripted(t, { MultiplePodTemplatesScheduling: true });
  await client.create(configmaps, configMap('a', { data: { work: '2' } }));
  const replicaRequirements = { resourceRequest: { cpu: '250m' } };
  const { components: first, replicas } = await bound();
  t.strictSame(first, [{ name: 'work', replicas: 2, replicaRequirements }], 'requirements as the API has them');
  t.equal(replicas, undefined);
  await told('GetComponentsSucceed', 'Get components of resource template successfully.');

  await put({ work: '3', lead: '1' });
  const { components: second } = await bound(text => text.includes('lead'));
  t.strictSame(second, [
    { name: 'lead', replicas: 1, replicaRequirements },
    { name: 'work', replicas: 3, replicaRequirements },
  ]);

  await put({ fails: '1' });
  await told('GetComponentsFailed', 'as expected');
  t.strictSame((await bound()).components, second, 'a failure changes nothing');
  await client.patch(configmaps, a, { type: 'merge', patch: { data: null } });
  t.equal((await bound(text => !text.includes('components'))).components, undefined, 'no components any more');
});

t.test('components whose names are not unique are refused', async t => {
  const { client, told } = await scripted(t, { MultiplePodTemplatesScheduling: true });
  await client.create(configmaps, configMap('a', { data: { work1: '2', work2: '2' } }));
  await told('ApplyPolicyFailed', 'component names must be unique');
});

t.test('priority classes of components are for the estimation of quotas', async t => {
  const gates = { MultiplePodTemplatesScheduling: true, ResourceQuotaEstimate: true };
  const { client, bound } = await scripted(t, gates);
  await client.create(configmaps, configMap('a', { data: { work: '2' } }));
  const replicaRequirements = { resourceRequest: { cpu: '250m' }, priorityClassName: 'high' };
  t.strictSame((await bound()).components, [{ name: 'work', replicas: 2, replicaRequirements }]);
});

t.test('without the gate, a template has replicas', async t => {
  const { client, bound } = await scripted(t, {});
  await client.create(configmaps, configMap('a', { data: { work: '2' } }));
  t.match(await bound(), { replicas: 3, components: undefined });
});
