/**
 * `node --expose-gc memory-child.js COUNT DIRECTORY|ENDPOINT`: writes ConfigMaps of 1 KiB, opens the store again, and prints the memory per
 * object in this process after each step, in bytes: one line of JSON.
 */
import process from 'node:process';
import v8 from 'node:v8';
import vm from 'node:vm';
import { createCatalogue } from '../../../registry/catalogue/catalogue.js';
import { loopback } from '../../../registry/pipeline/loopback.js';
import { nativeDefinitions } from '../../../kinds/kubernetes/native.js';
import { createPipeline } from '../../../registry/pipeline/pipeline.js';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import { openEtcd } from '../../../storage/etcd/open-etcd.js';
import { admin, configMap, configmaps } from '../serve.js';

const count = Number(process.argv[2]);
const place = process.argv[3] ?? '';

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc') as () => void;

const steadyBytes = 64 << 10;
const steadyTurns = 5;

/**
 * Returns the used memory on and off the heap after garbage collection, which is repeated until it frees hardly anything, since weak
 * references and closing handles are kept until the event loop has run.
 */
async function used(): Promise<number> {
  let minimum = Infinity;
  for (let steady = 0; steady < steadyTurns;) {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    const now = heapUsed + external;
    steady = now > minimum - steadyBytes ? steady + 1 : 0;
    minimum = Math.min(minimum, now);
    await new Promise(resolve => setTimeout(resolve, 10)); // timers keep objects, too
  }
  return minimum;
}

async function open() {
  const backend = await (place.startsWith('http')
    ? openEtcd({ endpoints: [place], compactionIntervalMs: 0 })
    : openEmbedded({ directory: place }));
  const catalogue = createCatalogue(nativeDefinitions());
  const pipeline = createPipeline({ catalogue, backend, now: Date.now });
  const client = loopback(pipeline, catalogue, admin, { fieldManager: 'test' });
  const close = async (): Promise<void> => {
    await pipeline.close();
    await backend.close();
  };
  return { client, close };
}

const text = 'x'.repeat(1024);

async function fill(): Promise<void> {
  const { client, close } = await open();
  for (let i = 0; i < count; i += 100)
    await Promise.all(
      Array.from({ length: 100 }, (_, j) => client.create(configmaps, configMap(`m-${i + j}`, { data: { text } }))),
    );
  await close();
}

await fill();
const before = await used();
const { client, close } = await open();
const each = async (): Promise<number> => Math.round(((await used()) - before) / count);
await client.list(configmaps, { resourceVersion: '0' }); // a list from the cache, which waits until it is filled
const loaded = await each();
let bytes = 0;
for (let i = 0; i < count; i++) {
  const object = await client.get(configmaps, { namespace: 'default', name: `m-${i}` });
  if (i === 0) bytes = JSON.stringify(object).length;
}
const read = await each();
const { items } = await client.list(configmaps, { labelSelector: 'app=none' });
await client.list(configmaps, {});
const listed = await each();
process.stdout.write(JSON.stringify({ bytes, loaded, read, listed, found: items.length }));
await close();
