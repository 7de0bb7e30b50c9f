import { loopback } from './loopback.js';
import { act } from './action.js';
import type { PipelineDeps } from './context.js';
import { create } from './create.js';
import { removeOne } from './delete.js';
import { removeCollection } from './delete-collection.js';
import { admitConnect } from './finish.js';
import { get } from './reads/get.js';
import type { ReadProtobuf, EncodeProtobuf } from './stored/layout.js';
import type { Pipeline } from './interface.js';
import { list } from './reads/list.js';
import { patch } from './patch.js';
import type { ObserveStore } from './stored/observed-backend.js';
import { getCached, getParsed, listCached } from './reads/cached.js';
import { createResourceStores, type ObjectCount, type StoresOptions } from './stored/resource-stores.js';
import { update } from './update.js';
import { patchScale, scalePartOf, updateScale } from './scale.js';
import { convertStored } from './answers.js';
import { watch } from './reads/watch.js';
import type { AdmissionPlugin } from '../admission-plugin.js';
import type { LiveCatalogue } from '../catalogue/catalogue.js';
import type { Backend } from '../../storage/interface.js';
import type { RandomBytes } from '../../lib/random.js';
import { randomBytes } from 'node:crypto';
import type { Client } from '../../client/interface.js';
import type { Identity } from '../../apimachinery/identity.js';

interface PipelineOptions {
  readonly catalogue: LiveCatalogue;
  readonly backend: Backend;
  /** A plugin or a chain of plugins, which may be completed after the pipeline, since the plugins need the pipeline. */
  readonly admission?: AdmissionPlugin;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly random?: RandomBytes;
  /** How long a read waits for a revision that the cache has not seen yet, in milliseconds. The default is 3000. */
  readonly freshnessTimeoutMs?: number;
  /** Objects are frozen before they are returned, so that code that changes one fails (tests). */
  readonly freeze?: boolean;
  /** For a store that kube-apiserver has written. */
  readonly readProtobuf?: ReadProtobuf;
  /** For a store that kube-apiserver reads. */
  readonly encodeProtobuf?: EncodeProtobuf;
  /** Called after each request to the backend. */
  readonly observe?: ObserveStore;
  /** Returns the observer of a kind, which is called with the seconds that a read has waited for a revision. */
  readonly observeWait?: StoresOptions['observeWait'];
}

export interface RunningPipeline extends Pipeline {
  /** Returns the number of objects of each kind whose cache is open and filled. */
  counts(): readonly ObjectCount[];
  /** Ends watches and closes caches; the backend stays open. */
  close(): Promise<void>;
}

/** Returns a source of random bytes with a pool, since a system call for a few bytes costs more than the rest of a generated name. */
function pooledRandom(): RandomBytes {
  const poolSize = 4096;
  let pool = Buffer.alloc(0);
  let at = 0;
  return size => {
    if (size > poolSize) return randomBytes(size);
    if (at + size > pool.length) {
      pool = randomBytes(poolSize);
      at = 0;
    }
    at += size;
    return pool.subarray(at - size, at);
  };
}

export function createPipeline(options: PipelineOptions): RunningPipeline {
  const { catalogue, backend, admission = { name: 'none' }, now = Date.now, freeze = false } = options;
  const { freshnessTimeoutMs = 3000, readProtobuf, encodeProtobuf, observe, observeWait } = options;
  const stores = createResourceStores({
    backend,
    catalogue,
    freeze,
    freshnessTimeoutMs,
    ...(readProtobuf && { readProtobuf }),
    ...(encodeProtobuf && { encodeProtobuf }),
    ...(observe && { observe }),
    ...(observeWait && { observeWait }),
  });
  const clients = new WeakMap<Identity, Client>();
  const deps: PipelineDeps = {
    catalogue,
    stores,
    admission,
    now,
    random: options.random ?? pooledRandom(),
    clientFor(user) {
      let client = clients.get(user);
      if (client === undefined) clients.set(user, (client = loopback(pipeline, catalogue, user)));
      return client;
    },
  };
  const pipeline: RunningPipeline = {
    get: (call, name, resourceVersion) => get(deps, call, name, resourceVersion),
    list: (call, query) => list(deps, call, query),
    watch: (call, query) => watch(deps, call, query),
    create: (call, object, write, name = '') =>
      call.subresource === '' ? create(deps, call, object, write, name) : act(deps, call, name, object, write),
    update: (call, name, object, write) =>
      scalePartOf(call) ? updateScale(deps, call, name, object, write) : update(deps, call, name, object, write),
    patch: (call, name, body, write) =>
      scalePartOf(call) ? patchScale(deps, call, name, body, write) : patch(deps, call, name, body, write),
    delete: (call, name, deletion, write) => removeOne(deps, call, name, deletion, write),
    deleteCollection: (call, query, deletion, write) => removeCollection(deps, call, query, deletion, write),
    connect: (call, name, options) => admitConnect(deps, call, name, options),
    getCached: (scope, name) => getCached(deps, scope, name),
    listCached: scope => listCached(deps, scope),
    getParsed: (scope, name) => getParsed(deps, scope, name),
    convert: (call, stored) => convertStored(call, stored),
    counts: () => stores.counts(),
    close: () => stores.close(),
  };
  return pipeline;
}
