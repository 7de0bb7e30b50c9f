/** Creates a pipeline over the real embedded store, with a client, for one test. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';
import type { GroupVersionResource, KubeObject } from '../../apimachinery/interface.js';
import type { RandomBytes } from '../../lib/random.js';
import { StatusError, statusOf } from '../../apimachinery/errors/status.js';
import type { AdmissionPlugin } from '../../registry/admission-plugin.js';
import { type LiveCatalogue, createCatalogue } from '../../registry/catalogue/catalogue.js';
import { loopback } from '../../registry/pipeline/loopback.js';
import type { Client } from '../../client/interface.js';
import type { Identity } from '../../apimachinery/identity.js';
import type { ResourceDefinition } from '../../registry/interface.js';
import { nativeDefinitions } from '../../kinds/kubernetes/native.js';
import { type RunningPipeline, createPipeline } from '../../registry/pipeline/pipeline.js';
import { openEmbedded } from '../../storage/embedded/open-embedded.js';
import { type Converter, createDynamic } from '../../registry/dynamic/dynamic.js';
import { removerOf } from '../../registry/dynamic/remover.js';
import type { Backend } from '../../storage/interface.js';

export const admin: Identity = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

export const configmaps: GroupVersionResource = { group: '', version: 'v1', resource: 'configmaps' };
export const namespaces: GroupVersionResource = { group: '', version: 'v1', resource: 'namespaces' };
export const pods: GroupVersionResource = { group: '', version: 'v1', resource: 'pods' };
export const deployments: GroupVersionResource = { group: 'apps', version: 'v1', resource: 'deployments' };

export interface Served {
  readonly catalogue: LiveCatalogue;
  readonly backend: Backend;
  readonly pipeline: RunningPipeline;
  readonly client: Client;
  /** Warnings to the client, oldest first. */
  readonly warnings: string[];
  /** The clock of the server, advanced by the test. */
  readonly clock: { now: number };
}

export interface ServeOptions {
  readonly definitions?: readonly ResourceDefinition[];
  readonly admission?: (client: () => Client) => AdmissionPlugin;
  readonly random?: RandomBytes;
  /** Converter between the versions of custom resources. */
  readonly convert?: Converter;
  /** The failure of the servers behind APIServices; absent: they answer. */
  readonly serverFailure?: string;
  /** Stored objects are frozen, which takes long for large ones. The default is true. */
  readonly freeze?: boolean;
  /** An existing store, which the caller closes. */
  readonly backend?: Backend;
  /** Milliseconds for which a read waits for a future revision. Short only where the test needs it, since slow machines need longer. */
  readonly freshnessTimeoutMs?: number;
}

export async function serve(t: Test, options: ServeOptions = {}): Promise<Served> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'registry-'));
  const backend = options.backend ?? (await openEmbedded({ directory }));
  const catalogue = createCatalogue([...nativeDefinitions(), ...(options.definitions ?? [])]);
  const clock = { now: Date.UTC(2026, 0, 1) };
  const warnings: string[] = [];
  const admission = options.admission?.(() => client);
  const pipeline = createPipeline({
    catalogue,
    backend,
    now: () => clock.now,
    ...(options.random && { random: options.random }),
    freeze: options.freeze ?? true,
    ...(options.freshnessTimeoutMs !== undefined && { freshnessTimeoutMs: options.freshnessTimeoutMs }),
    ...(admission && { admission }),
  });
  const client: Client = loopback(pipeline, catalogue, admin, {
    fieldManager: 'test',
    onWarning: text => warnings.push(text),
  });
  const stopping = new AbortController();
  const dynamic = createDynamic({
    catalogue,
    client: loopback(pipeline, catalogue, admin, { fieldManager: 'kube-apiserver' }),
    remover: removerOf(pipeline, admin),
    servers: { changed: () => undefined, check: () => Promise.resolve(options.serverFailure) },
    now: () => clock.now,
    ...(options.convert && { convert: options.convert }),
    onError: error => t.fail(String(error)),
    signal: stopping.signal,
  });
  await dynamic.ready;
  t.teardown(async () => {
    stopping.abort();
    await dynamic.done;
    await pipeline.close();
    if (!options.backend) await backend.close();
    fs.rmSync(directory, { recursive: true, force: true });
  });
  return { catalogue, backend, pipeline, client, warnings, clock };
}

export const configMap = (name: string, more: Record<string, unknown> = {}, namespace = 'default'): KubeObject => {
  const { metadata, ...rest } = more as { metadata?: object };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, ...metadata }, ...rest };
};

export const deployment = (name: string, replicas = 1): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'default' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'nginx:1.27' }] } },
  },
});

export const pod = (name: string, spec: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'c', image: 'nginx:1.27' }], ...spec },
});

/** Returns the Status of a refused attempt as `code reason: message`. */
export async function refusal(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.reason}: ${error.message}`;
    throw error;
  }
  return 'allowed';
}

/** Returns the Status that a function without a promise throws as `code reason: message`; 'allowed' if nothing is thrown. */
export const refusalOf = (work: () => unknown): Promise<string> => refusal((async () => work())());

/** Returns the causes of a refused attempt as `field: message`; the message if there are none. */
export async function causes(work: Promise<unknown>): Promise<string[]> {
  try {
    await work;
    return [];
  } catch (error) {
    const { details, message } = statusOf(error);
    return details?.causes?.map(cause => `${cause.field}: ${cause.message}`) ?? [message ?? ''];
  }
}
