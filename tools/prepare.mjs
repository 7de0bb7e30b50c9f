// Starts new servers of both profiles for both kinds of storage, and stores their first writes (server/start/prepared.ts).
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { silent } from '../dist/server/logger.js';
import { prepare } from '../dist/server/start/prepared.js';
import { startServer } from '../dist/server/start-server.js';
import { openEmbedded } from '../dist/storage/embedded/open-embedded.js';

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'flagship-build-'));
try {
  const firsts = ['karmada', 'kubernetes'].flatMap(profile => [false, true].map(shared => ({ profile, shared })));
  for (const { profile, shared } of firsts) {
    const directory = path.join(work, `${profile}-${shared}`);
    const open = () => openEmbedded({ directory: path.join(directory, 'storage'), log: silent });
    const backend = await open();
    const server = await startServer({
      profile,
      tokens: 'ES256',
      listen: { host: '127.0.0.1', port: 0 },
      pkiDirectory: path.join(directory, 'pki'),
      storage: { type: 'opened', backend, shared },
      log: silent,
      shutdownTimeoutMs: 0,
    });
    await server.stop();
    await backend.close();
    // Read from the store as written, not from the server's cache.
    const written = await open();
    await prepare({ profile, shared }, written);
    await written.close();
  }
} finally {
  fs.rmSync(work, { recursive: true, force: true });
}
