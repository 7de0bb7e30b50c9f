/** Writes the objects that a server must have before it is ready, and restores them while it runs. */
import { repeatedly } from '../../lib/logging/failure-state.js';
import os from 'node:os';
import { ensureAll, maintainRequiredObjects } from '../../authn/bootstrap/ensure.js';
import type { Expected } from '../../authn/bootstrap/expected.js';
import { bootstrapObjects, type BootstrapOptions } from '../../authn/bootstrap/objects.js';
import type { Pki } from '../../authn/pki/files.js';
import type { Client } from '../../client/interface.js';
import { installCustomResources } from '../../kinds/karmada/crds/install.js';
import type { Backend } from '../../storage/interface.js';
import { advertisedHost } from '../advertised-host.js';
import type { CloseStack } from '../close-stack.js';
import { type Frontend, isShared, type ServerConfig } from '../config.js';
import { IdentityLease } from '../../controllers/platform/identity-lease.js';
import { isPrepared, writePrepared } from './prepared.js';
import { ServerAddresses } from '../../storage/server-addresses.js';
import type { StartSteps } from './start-steps.js';

const defaults = {
  serviceCidr: '10.96.0.0/12',
  restoreEveryMs: 10_000, // as pkg/controlplane/reconcilers DefaultEndpointReconcilerInterval
};

/** The state of a store when the server opened it. */
export interface InitialState {
  readonly isNew: boolean;
  /** The store holds the objects of `isPrepared`, and the definitions of custom resources. */
  readonly prepared: boolean;
}

/** Writes the prepared objects to a new store. Returns the state of the store. */
export async function prepareStore(
  { profile, storage, populated }: ServerConfig,
  backend: Backend,
): Promise<InitialState> {
  // Another process writes the objects, or a test checks the writes.
  if (populated !== undefined || storage.type === 'opened')
    return { isNew: (await backend.revision()) <= 1, prepared: false };
  const { items, revision } = await backend.range('/registry/', { limit: 1 });
  const variant = { profile, shared: isShared(storage) };
  // An etcd may hold foreign keys. Other servers may start on it at the same time; then each of them checks all objects.
  const prepared = items.length === 0 && (await writePrepared(variant, backend, new Date()));
  return { isNew: revision <= 1, prepared }; // etcd begins with revision 1
}

interface PopulateOptions {
  readonly config: ServerConfig;
  readonly client: Client;
  readonly backend: Backend;
  readonly initial: InitialState;
  readonly pki: Pki;
  readonly server: Frontend;
  readonly url: string;
  /** Resolves when the server has read the RBAC objects, and serves the stored definitions. */
  readonly followed: Promise<unknown>;
  /** Watches the configuration of priority and fairness. */
  readonly followFairness: () => Promise<void>;
  /** Receives the finished steps. */
  readonly steps: StartSteps;
  readonly closing: CloseStack;
  readonly signal: AbortSignal;
}

/** Resolves when all objects exist; from then on they are restored until the signal aborts. */
export async function populate(options: PopulateOptions): Promise<void> {
  const { config, client, backend, initial, server, steps, closing, signal } = options;
  const { log } = config;
  const address = config.advertisedAddress ?? advertisedHost(server.host);
  const addresses = new ServerAddresses(backend, { host: address, shared: config.storage.type === 'etcd' });
  closing.push(() =>
    addresses.retire().catch((error: unknown) => log.debug({ err: error }, 'others see this server expire')),
  );
  const currentOptions = async (): Promise<BootstrapOptions> => bootstrapOptions(options, await addresses.announce());
  const writeFirst = async (): Promise<void> => {
    const groups = bootstrapObjects(await currentOptions());
    steps.done('announced');
    steps.expect(groups.flat());
    if (initial.prepared) groups.flat().filter(isPrepared).forEach(steps.written);
    for (const group of initial.prepared ? groups.map(unprepared) : groups)
      await ensureAll(client, group, steps.written);
  };
  await Promise.all([options.followed, writeFirst()]);
  if (config.profile === 'karmada' && !initial.prepared)
    await installCustomResources(client, {
      signal,
      onError: repeatedly(log, 'CustomResourceDefinitions cannot be watched'),
    });
  const every = config.restoreEveryMs ?? defaults.restoreEveryMs;
  const identity = new IdentityLease({
    ...{ client, hostname: os.hostname(), now: () => new Date(), every, signal },
    onError: repeatedly(log, 'the Lease of this server cannot be renewed'),
  });
  closing.push(() =>
    identity.retire().catch((error: unknown) => log.debug({ err: error }, 'the Lease of this server expires')),
  );
  await Promise.all([options.followFairness(), identity.claim().then(() => steps.done('identity'))]);
  // The history of a new store begins when it is complete: no client may take an earlier revision for a valid state.
  if (initial.isNew) await backend.compact(await backend.revision());
  server.populated?.();
  maintainRequiredObjects(client, currentOptions, {
    ...{ every, signal },
    onError: repeatedly(log, 'objects that every server has cannot be written'),
  });
}

const unprepared = (group: readonly Expected[]): readonly Expected[] => group.filter(each => !isPrepared(each));

/** Returns the first address of a range of Services, which is that of `kubernetes`. */
function firstAddress(cidr: string): string {
  const [base = ''] = cidr.split('/');
  return base.includes(':') ? `${base.replace(/:+$/, '')}::1` : base.replace(/\d+$/, last => String(Number(last) + 1));
}

function bootstrapOptions(
  { config, pki, server: { port }, url }: PopulateOptions,
  endpoints: readonly string[],
): BootstrapOptions {
  const cidr = config.serviceCidr ?? defaults.serviceCidr;
  const karmada = { namespace: 'karmada-system', server: { url, authority: pki.authority.certificate } };
  return {
    now: new Date(),
    trust: {
      clientAuthority: pki.authority.certificate,
      frontProxyAuthority: pki.frontProxyAuthority.certificate,
      allowedNames: ['front-proxy-client'],
    },
    service: { cidr, address: firstAddress(cidr), port, endpoints },
    ...(config.profile === 'karmada' ? { karmada } : {}),
  };
}
