/** Opens the dependencies of the verbs of the pipeline, with a real store, so that a test can call a single function. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Test } from 'tap';
import type { GroupVersionResource, KubeObject } from '../../../apimachinery/interface.js';
import { nativeDefinitions } from '../../../kinds/kubernetes/native.js';
import type { AdmissionPlugin } from '../../../registry/admission-plugin.js';
import { createCatalogue } from '../../../registry/catalogue/catalogue.js';
import type { ResourceDefinition } from '../../../registry/interface.js';
import type { PipelineDeps } from '../../../registry/pipeline/context.js';
import type { PatchParameters, RequestScope } from '../../../registry/pipeline/interface.js';
import { loopback } from '../../../registry/pipeline/loopback.js';
import { createPipeline } from '../../../registry/pipeline/pipeline.js';
import { createResourceStores } from '../../../registry/pipeline/stored/resource-stores.js';
import { openEmbedded } from '../../../storage/embedded/open-embedded.js';
import { admin } from '../serve.js';

export const write: PatchParameters = { dryRun: false, options: {}, fieldValidation: 'Strict' };

interface OpenDeps {
  readonly deps: PipelineDeps;
  /** Warnings and audit annotations of all requests, oldest first. */
  readonly messages: string[];
  readonly definition: (resource: GroupVersionResource) => ResourceDefinition;
  /** Returns a request to a resource, in the namespace `default` if it has namespaces. */
  readonly scope: (resource: GroupVersionResource, more?: Partial<RequestScope>) => RequestScope;
  /** Creates an object through the pipeline, and returns the stored object. */
  readonly create: (resource: GroupVersionResource, object: KubeObject) => Promise<KubeObject>;
}

/** The time of the server, in milliseconds since the epoch. */
export const now = Date.UTC(2026, 0, 1);

export async function openDeps(t: Test, admission: AdmissionPlugin = { name: 'none' }): Promise<OpenDeps> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'deps-'));
  const backend = await openEmbedded({ directory });
  const catalogue = createCatalogue(nativeDefinitions());
  const stores = createResourceStores({ backend, catalogue, freeze: true, freshnessTimeoutMs: 3000 });
  const pipeline = createPipeline({ catalogue, backend, now: () => now, freeze: true });
  const deps: PipelineDeps = {
    ...{ catalogue, stores, admission },
    now: () => now,
    random: size => new Uint8Array(size),
    clientFor: user => loopback(pipeline, catalogue, user),
  };
  t.teardown(async () => {
    await pipeline.close();
    await stores.close();
    await backend.close();
    fs.rmSync(directory, { recursive: true, force: true });
  });
  const messages: string[] = [];
  const definition = ({ group, resource }: GroupVersionResource): ResourceDefinition => {
    const found = catalogue.byPlural(group, resource);
    if (!found) throw new Error(`no ${resource}`);
    return found;
  };
  return {
    deps,
    messages,
    definition,
    scope(resource, more) {
      const found = definition(resource);
      const version = found.versions.find(({ name }) => name === resource.version);
      if (!version) throw new Error(`no ${resource.version} of ${resource.resource}`);
      return {
        ...{ user: admin, definition: found, version, subresource: '', fieldManager: 'test' },
        namespace: found.namespaced ? 'default' : '',
        signal: new AbortController().signal,
        authorize: () => Promise.resolve(),
        warn: text => void messages.push(`warning: ${text}`),
        annotate: (key, value) => void messages.push(`${key}: ${value}`),
        ...more,
      };
    },
    create: (resource, object) => deps.clientFor(admin).create(resource, object),
  };
}
