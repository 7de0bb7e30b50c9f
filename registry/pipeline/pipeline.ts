import { loopback } from './loopback.js';
import { act } from './action.js';
import type { Parts } from './context.js';
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
import { peek, peekAll, peekObject } from './reads/cached.js';
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

export interface PipelineOptions {
  readonly catalogue: LiveCatalogue;
  readonly backend: Backend;
  /** A plugin or a chain of them; asked for each request, so that it may be completed after the pipeline, which its plugins need. */
  readonly admission?: AdmissionPlugin;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly random?: RandomBytes;
  /** How long a read waits for a revision that is not there yet, in milliseconds: 3000. */
  readonly freshMs?: number;
  /** Freeze objects that are handed out, so that whoever changes one is found (tests). */
  readonly freeze?: boolean;
  /** For a store that kube-apiserver wrote. */
  readonly readProtobuf?: ReadProtobuf;
  /** For a store that kube-apiserver reads. */
  readonly encodeProtobuf?: EncodeProtobuf;
  /** Counts what the backend is asked. */
  readonly observe?: ObserveStore;
  /** Of a kind: is told how many seconds a read waited for what is newer. */
  readonly observeWait?: StoresOptions['observeWait'];
}

export interface RunningPipeline extends Pipeline {
  /** How many objects there are of kinds whose caches are there. */
  counts(): readonly ObjectCount[];
  /** Ends watches and closes caches; the backend stays open. */
  close(): Promise<void>;
}

/** Random bytes drawn in advance: asking the system for a few at a time costs more than the rest of a name. */
function pooled(): RandomBytes {
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
  const { freshMs = 3000, readProtobuf, encodeProtobuf, observe, observeWait } = options;
  const stores = createResourceStores({
    backend,
    catalogue,
    freeze,
    freshMs,
    ...(readProtobuf && { readProtobuf }),
    ...(encodeProtobuf && { encodeProtobuf }),
    ...(observe && { observe }),
    ...(observeWait && { observeWait }),
  });
  const clients = (user: Identity): Client => loopback(pipeline, catalogue, user);
  const parts: Parts = { catalogue, stores, admission, now, random: options.random ?? pooled(), clientFor: clients };
  const pipeline: RunningPipeline = {
    get: (call, name, resourceVersion) => get(parts, call, name, resourceVersion),
    list: (call, query) => list(parts, call, query),
    watch: (call, query) => watch(parts, call, query),
    create: (call, object, write, name = '') =>
      call.subresource === '' ? create(parts, call, object, write, name) : act(parts, call, name, object, write),
    update: (call, name, object, write) =>
      scalePartOf(call) ? updateScale(parts, call, name, object, write) : update(parts, call, name, object, write),
    patch: (call, name, body, write) =>
      scalePartOf(call) ? patchScale(parts, call, name, body, write) : patch(parts, call, name, body, write),
    delete: (call, name, how, write) => removeOne(parts, call, name, how, write),
    deleteCollection: (call, query, how, write) => removeCollection(parts, call, query, how, write),
    connect: (call, name, options) => admitConnect(parts, call, name, options),
    getCached: (place, name) => peek(parts, place, name),
    listCached: place => peekAll(parts, place),
    getParsed: (place, name) => peekObject(parts, place, name),
    convert: (call, stored) => convertStored(call, stored),
    counts: () => stores.counts(),
    close: () => stores.close(),
  };
  return pipeline;
}
