import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { statusOf } from '../../../openapi/meta/status.js';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import { faulty } from '../../storage/faulty.js';
import { configMap, configmaps, serve } from '../serve.js';

async function status(work: Promise<unknown>): Promise<object> {
  try {
    await work;
    return {};
  } catch (error) {
    return statusOf(error);
  }
}

t.test('a store that does not answer (HTTP-101, HTTP-109)', async t => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'registry-'));
  const backend = faulty(await openEmbedded({ directory }));
  t.teardown(async () => {
    await backend.close();
    fs.rmSync(directory, { recursive: true, force: true });
  });
  const { client } = await serve(t, { backend });
  backend.outage = { code: 'unavailable' };
  t.match(await status(client.list(configmaps, { resourceVersion: '0' })), {
    code: 429,
    reason: 'TooManyRequests',
    message: 'storage is (re)initializing',
    details: { retryAfterSeconds: 1 },
  });
  t.match(await status(client.list(configmaps)), {
    code: 500,
    reason: 'ServerTimeout',
    message: 'The list operation against configmaps could not be completed at this time, please try again.',
    details: { name: 'list', kind: 'configmaps', retryAfterSeconds: 2 },
  });
  backend.outage = undefined;
  await client.create(configmaps, configMap('a'));
  t.equal((await client.list(configmaps, { resourceVersion: '0' })).items.length, 1, 'it goes on when the store does');
});
