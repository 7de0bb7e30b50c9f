/** The order in which templates are reconciled that wait together. */
import type { Test } from 'tap';
import { resources } from '../../../api/karmada/well-known.js';
import type { Interpreter } from '../../../controllers/interpreter/interface.js';
import { nativeInterpreter } from '../../../controllers/interpreter/native/native.js';
import { templateKey } from '../../../controllers/policy/templates.js';
import { featureGates } from '../../../kinds/karmada/feature-gates.js';
import { configMap, configmaps } from '../../registry/serve.js';
import { until } from '../../storage/until.js';
import { detecting, policy } from './detecting.js';

const names = Array.from({ length: 8 }, (_, i) => `c${i}`);

/** Returns the order in which one worker reconciles templates after a change of their policy, and then of two templates. */
export async function orderOfTemplates(t: Test, ControllerPriorityQueue: boolean): Promise<readonly string[]> {
  const seen: string[] = [];
  let hold = Promise.resolve();
  const interpreter: Interpreter = {
    ...nativeInterpreter,
    has: (_, operation) => operation === 'InterpretReplica',
    async replicas({ metadata }) {
      seen.push(metadata.name ?? '');
      await hold;
      return { replicas: 0, requirements: undefined };
    },
  };
  const gates = featureGates({ ControllerPriorityQueue });
  const { client, bindingOf, templates } = await detecting(t, { gates, interpreter, workers: 1 });
  await client.create(resources.propagationPolicies, policy('p'));
  for (const name of names) await client.create(configmaps, configMap(name));
  const key = (name: string) => ({ namespace: 'default', name });
  for (const name of names)
    await until(`${name} is bound`, async () => (await bindingOf('ConfigMap', key(name))) !== undefined);
  seen.length = 0;
  let release = (): void => undefined;
  hold = new Promise(resolve => (release = resolve));
  const patch = { spec: { placement: { clusterAffinity: { clusterNames: ['m2'] } } } };
  await client.patch(resources.propagationPolicies, key('p'), { type: 'merge', patch });
  await until('the first template is reconciled', () => seen.length === 1);
  // The policy has woken all its templates in one turn.
  await client.create(configmaps, configMap('fresh'));
  await client.patch(configmaps, key('c7'), { type: 'merge', patch: { data: { changed: 'yes' } } });
  const mirrored = (name: string) => templates.get(templateKey({ ...configMap(name), ...key(name) }));
  await until('the changes are seen', () => {
    const data = mirrored('c7')?.['data'] as Record<string, string> | undefined;
    return mirrored('fresh') !== undefined && data?.['changed'] === 'yes';
  });
  release();
  await until('all templates are reconciled', () => new Set(seen).size === names.length + 1);
  return seen;
}
