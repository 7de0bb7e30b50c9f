/**
 * `node --initial-heap-size=1000 aging-child.js COUNT DIRECTORY`: changes Deployments in each way, 16 at a time, and prints the bytes per
 * change that were promoted to the old generation, as one line of JSON. The initial heap is large, so that there is no major collection.
 */
import process from 'node:process';
import { setImmediate } from 'node:timers/promises';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { cloneJson } from '../../../lib/json/clone.js';
import { createCatalogue } from '../../../registry/catalogue/catalogue.js';
import { loopback } from '../../../registry/pipeline/loopback.js';
import { nativeDefinitions } from '../../../kinds/kubernetes/native.js';
import { createPipeline } from '../../../registry/pipeline/pipeline.js';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import { collect, oldSpace } from '../../old-space.js';
import { admin, deployment as small, deployments } from '../serve.js';

const count = Number(process.argv[2]);
const writers = 16;

const backend = await openEmbedded({ directory: process.argv[3] ?? '' });
const catalogue = createCatalogue(nativeDefinitions());
const pipeline = createPipeline({ catalogue, backend, now: Date.now });
const client = loopback(pipeline, catalogue, admin, { fieldManager: 'test' });

const env = Array.from({ length: 4 }, (_, i) => ({ name: `NAME_${i}`, value: 'a value' }));
const containers = Array.from({ length: 4 }, (_, i) => ({ name: `c-${i}`, image: 'nginx:1.27', env }));

/** An object whose size shows whether it is promoted. */
function deployment(name: string) {
  const { spec, ...rest } = small(name) as KubeObject & { spec: { template: { spec: object } } };
  return { ...rest, spec: { ...spec, template: { ...spec.template, spec: { containers } } } };
}

const template = (turn: string) => ({ metadata: { annotations: { turn } } });

const ways: Readonly<Record<string, (name: string, turn: string) => Promise<unknown>>> = {
  merge: (name, turn) =>
    client.patch(
      deployments,
      { namespace: 'default', name },
      { type: 'merge', patch: { spec: { template: template(turn) } } },
      {},
    ),
  apply(name, turn) {
    const { spec, ...rest } = deployment(name);
    const patch = { ...rest, spec: { ...spec, template: { ...spec.template, ...template(turn) } } };
    return client.patch(deployments, { namespace: 'default', name }, { type: 'apply', patch, force: true }, {});
  },
  async update(name, turn) {
    const object = cloneJson(await client.get(deployments, { namespace: 'default', name }));
    object.metadata.annotations = { turn };
    return client.update(deployments, object, {});
  },
};

async function change(way: string, times: number): Promise<void> {
  const turns = Array.from({ length: times }, (_, i) => String(i)).values();
  const writer = async (_: unknown, index: number): Promise<void> => {
    for (const turn of turns) {
      await ways[way]?.(`${way}-${index}`, turn);
      await setImmediate();
    }
  };
  await Promise.all(Array.from({ length: writers }, writer));
}

const aged: Record<string, number> = {};
for (const way of Object.keys(ways)) {
  for (let index = 0; index < writers; index++) await client.create(deployments, deployment(`${way}-${index}`));
  await change(way, 1000); // V8 itself allocates long-lived objects, too
  collect();
  const before = oldSpace();
  await change(way, count);
  aged[way] = Math.round((oldSpace() - before) / count);
}
console.log(JSON.stringify(aged));
await pipeline.close();
await backend.close();
