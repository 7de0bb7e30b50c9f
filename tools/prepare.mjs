// Starts new servers, of both profiles, and keeps what they have written first (apiserver/main/prepared.ts).
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { silent } from '../dist/apiserver/main/logger.js';
import { prepare } from '../dist/apiserver/main/prepared.js';
import { startServer } from '../dist/apiserver/main/start-server.js';
import { openEmbedded } from '../dist/storage/embedded/open-embedded.js';

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'flagship-build-'));
try {
  for (const profile of ['karmada', 'kubernetes']) {
    const directory = path.join(work, profile);
    const backend = await openEmbedded({ directory: path.join(directory, 'storage'), log: silent });
    const server = await startServer({
      profile,
      tokens: 'ES256',
      listen: { host: '127.0.0.1', port: 0 },
      pkiDirectory: path.join(directory, 'pki'),
      storage: { type: 'opened', backend },
      log: silent,
      shutdownPatience: 0,
    });
    await server.stop();
    await prepare(profile, backend);
    await backend.close();
  }
} finally {
  fs.rmSync(work, { recursive: true, force: true });
}
