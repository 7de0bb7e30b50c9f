/** Opens what the verbs of the pipeline are built from, over a real store, so that a test calls one function of it. */
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

export interface OpenParts {
  readonly parts: PipelineDeps;
  /** Warnings and audit annotations of all requests, oldest first. */
  readonly told: string[];
  definition(resource: GroupVersionResource): ResourceDefinition;
  /** Returns a request to a resource, in the namespace `default` if it has namespaces. */
  scope(resource: GroupVersionResource, more?: Partial<RequestScope>): RequestScope;
  /** Stores an object as the pipeline does, and returns what is stored. */
  create(resource: GroupVersionResource, object: KubeObject): Promise<KubeObject>;
}

/** The time of the server. */
export const now = Date.UTC(2026, 0, 1);

export async function openParts(t: Test, admission: AdmissionPlugin = { name: 'none' }): Promise<OpenParts> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'parts-'));
  const backend = await openEmbedded({ directory });
  const catalogue = createCatalogue(nativeDefinitions());
  const stores = createResourceStores({ backend, catalogue, freeze: true, freshMs: 3000 });
  const pipeline = createPipeline({ catalogue, backend, now: () => now, freeze: true });
  const parts: PipelineDeps = {
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
  const told: string[] = [];
  const definition = ({ group, resource }: GroupVersionResource): ResourceDefinition => {
    const found = catalogue.byPlural(group, resource);
    if (!found) throw new Error(`no ${resource}`);
    return found;
  };
  return {
    parts,
    told,
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
        warn: text => void told.push(`warning: ${text}`),
        annotate: (key, value) => void told.push(`${key}: ${value}`),
        ...more,
      };
    },
    create: (resource, object) => parts.clientFor(admin).create(resource, object),
  };
}
