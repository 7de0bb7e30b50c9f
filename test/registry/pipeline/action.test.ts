import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import type { Client } from '../../../client/interface.js';
import { nativeDefinitions } from '../../../kinds/kubernetes/native.js';
import { createCatalogue } from '../../../registry/catalogue/catalogue.js';
import type { ResourceDefinition } from '../../../registry/interface.js';
import { loopback } from '../../../registry/pipeline/loopback.js';
import { createPipeline } from '../../../registry/pipeline/pipeline.js';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import { admin, configmaps } from '../serve.js';

t.test('actions of one user share a client, which is not that of another user', async t => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'action-'));
  const backend = await openEmbedded({ directory });
  const clients: Client[] = [];
  const reviewed = (definition: ResourceDefinition): ResourceDefinition => ({
    ...definition,
    review(call, object) {
      clients.push(call.client);
      return Promise.resolve(object);
    },
  });
  const catalogue = createCatalogue(
    nativeDefinitions().map(definition => (definition.plural === 'configmaps' ? reviewed(definition) : definition)),
  );
  const pipeline = createPipeline({ catalogue, backend, freeze: true });
  t.teardown(async () => {
    await pipeline.close();
    await backend.close();
    fs.rmSync(directory, { recursive: true, force: true });
  });
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'a' } };
  for (const user of [admin, admin, { name: 'other', groups: [] }])
    await loopback(pipeline, catalogue, user).create(configmaps, object);
  const [first, second, other] = clients;
  t.ok(first !== undefined && first === second);
  t.not(first, other);
});
