/** A server without HTTP for one test: authentication, authorization and registry over the real embedded store. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';
import { createAuthn, type Authn } from '../../authn/authn.js';
import { followPolicy } from '../../authn/access/follow.js';
import { ensureAll } from '../../authn/bootstrap/ensure.js';
import { bootstrapObjects, type BootstrapOptions } from '../../authn/bootstrap/objects.js';
import { loadOrCreate, type Pki } from '../../authn/pki/files.js';
import { chain } from '../../admission/chain.js';
import type { AdmissionPlugin } from '../../registry/admission-plugin.js';
import { createCatalogue } from '../../registry/catalogue/catalogue.js';
import { loopback } from '../../registry/pipeline/loopback.js';
import type { Client } from '../../client/interface.js';
import { until as untilHolds } from '../storage/until.js';
import type { Identity } from '../../apimachinery/identity.js';
import { nativeDefinitions } from '../../kinds/kubernetes/native.js';
import { withAccess } from '../../kinds/kubernetes/with-access.js';
import { createPipeline } from '../../registry/pipeline/pipeline.js';
import { openEmbedded } from '../../storage/embedded/open-embedded.js';

export const admin: Identity = { name: 'system:admin', groups: ['system:masters', 'system:authenticated'] };

export interface Server {
  readonly authn: Authn;
  readonly pki: Pki;
  readonly client: Client;
  readonly clientFor: (user: Identity) => Client;
  readonly bootstrap: (options?: Partial<BootstrapOptions>) => Promise<void>;
}

export async function serve(t: Test): Promise<Server> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'authn-'));
  const backend = await openEmbedded({ directory: path.join(directory, 'storage') });
  const pki = await loadOrCreate(path.join(directory, 'pki'), { hosts: ['localhost'] });
  const authn = createAuthn({ pki, client: () => client });
  const catalogue = createCatalogue(withAccess(nativeDefinitions(), authn.ports, () => new Date()));
  const admission: AdmissionPlugin = { name: 'admission' };
  const pipeline = createPipeline({ catalogue, backend, admission, freeze: true });
  Object.assign(admission, chain(authn.plugins));
  const clientFor = (user: Identity): Client => loopback(pipeline, catalogue, user, { fieldManager: 'corpus' });
  const client = clientFor(admin);
  const stopping = new AbortController();
  const following = followPolicy(authn.policy, {
    client,
    signal: stopping.signal,
    onError: (_resource, error) => t.fail(String(error)),
  });
  await following.synced;
  t.teardown(async () => {
    stopping.abort();
    await following.done;
    await pipeline.close();
    await backend.close();
    fs.rmSync(directory, { recursive: true, force: true });
  });
  const bootstrap: Server['bootstrap'] = async options => {
    for (const group of bootstrapObjects({ now: new Date(), ...options })) await ensureAll(client, group);
  };
  return { authn, pki, client, clientFor, bootstrap };
}

/** Resolves when `holds` returns true. Its place is in the stack of the error. */
export const until = (holds: () => Promise<boolean> | boolean): Promise<void> => untilHolds('the condition', holds);
