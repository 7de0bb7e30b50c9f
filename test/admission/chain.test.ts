import t from 'tap';
import { chain } from '../../admission/chain.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission-plugin.js';
import { createCatalogue } from '../../registry/catalogue/catalogue.js';
import { nativeDefinitions } from '../../kinds/kubernetes/native.js';
import { configmaps, deployments } from '../registry/serve.js';

t.test('plugins run in order, each for its resources, until one refuses', async t => {
  const catalogue = createCatalogue(nativeDefinitions());
  const ran: string[] = [];
  const plugin = (name: string, resources?: readonly string[], refuses = false): AdmissionPlugin => ({
    name,
    ...(resources && { resources }),
    mutate: () => void ran.push(`${name} mutates`),
    async validate() {
      await Promise.resolve();
      ran.push(`${name} validates`);
      if (refuses) throw new Error(`${name} refuses`);
    },
  });
  const all = chain([
    plugin('first'),
    plugin('second', ['deployments.apps']),
    plugin('third', ['configmaps'], true),
    plugin('last'),
  ]);
  t.equal(all.name, 'first,second,third,last');
  async function run(resource: typeof configmaps): Promise<string[]> {
    ran.length = 0;
    const request = { definition: catalogue.find(resource) } as AdmissionRequest;
    await all.mutate?.(request);
    await Promise.resolve(all.validate?.(request)).catch((error: unknown) => ran.push(String(error)));
    return [...ran];
  }
  t.same(await run(deployments), [
    'first mutates',
    'second mutates',
    'last mutates',
    'first validates',
    'second validates',
    'last validates',
  ]);
  const refused = ['first mutates', 'third mutates', 'last mutates', 'first validates', 'third validates'];
  t.same(await run(configmaps), [...refused, 'Error: third refuses']);
  t.same(await run(configmaps), [...refused, 'Error: third refuses'], 'again');
});

t.test('a chain has the phases of its plugins', t => {
  const chained = chain([{ name: 'a', validate: () => undefined }]);
  t.notOk('mutate' in chained);
  t.ok('validate' in chained);
  t.end();
});
