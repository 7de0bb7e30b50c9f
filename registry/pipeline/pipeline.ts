import { loopback } from './loopback.js';
import { act } from './action.js';
import type { PipelineDeps } from './context.js';
import { create } from './create.js';
import { removeOne } from './delete.js';
import { removeCollection } from './delete-collection.js';
import { admitConnect } from './finish.js';
import { get } from './reads/get.js';
import type { ReadProtobuf, EncodeProtobuf } from './stored/layout.js';
import type { PatchParameters, Pipeline, RequestScope, ResourceScope, Stored, WriteParameters } from './interface.js';
import { list } from './reads/list.js';
import { patch } from './patch.js';
import type { ObserveStore } from './stored/observed-backend.js';
import { getCached, getParsed, listCached } from './reads/cached.js';
import {
  createResourceStores,
  type ObjectCount,
  type ResourceStores,
  type StoresOptions,
} from './stored/resource-stores.js';
import { update } from './update.js';
import { patchScale, scalePartOf, updateScale } from './scale.js';
import { convertStored } from './answers.js';
import { watch } from './reads/watch.js';
import type { AdmissionPlugin } from '../admission-plugin.js';
import type { LiveCatalogue } from '../catalogue/catalogue.js';
import type { Backend } from '../../storage/interface.js';
import type { RandomBytes } from '../../lib/random.js';
import { randomBytes } from 'node:crypto';
import type { Client, DeleteOptions, ListQuery, Patch, WatchQuery } from '../../client/interface.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Maybe } from '../../lib/maybe.js';
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

/** A source of random bytes with a pool, since a system call for a few bytes costs more than the rest of a generated name. */
class RandomPool {
  static readonly #size = 4096;
  #pool = Buffer.alloc(0);
  /** The position of the first byte that was not returned yet. */
  #at = 0;

  readonly bytes: RandomBytes = size => {
    if (size > RandomPool.#size) return randomBytes(size);
    if (this.#at + size > this.#pool.length) {
      this.#pool = randomBytes(RandomPool.#size);
      this.#at = 0;
    }
    this.#at += size;
    return this.#pool.subarray(this.#at - size, this.#at);
  };
}

/** The verbs on the objects of one backend: each is a function in a file of its own, which gets the same parts. */
class BackendPipeline implements RunningPipeline {
  readonly #stores: ResourceStores;
  readonly #deps: PipelineDeps;
  /** One client for each user for whom something is read or written in the course of a request. */
  readonly #clients = new WeakMap<Identity, Client>();

  constructor(options: PipelineOptions) {
    const { catalogue, backend, admission = { name: 'none' }, now = Date.now, freeze = false } = options;
    const { freshnessTimeoutMs = 3000, readProtobuf, encodeProtobuf, observe, observeWait } = options;
    this.#stores = createResourceStores({
      backend,
      catalogue,
      freeze,
      freshnessTimeoutMs,
      ...(readProtobuf && { readProtobuf }),
      ...(encodeProtobuf && { encodeProtobuf }),
      ...(observe && { observe }),
      ...(observeWait && { observeWait }),
    });
    this.#deps = {
      catalogue,
      stores: this.#stores,
      admission,
      now,
      random: options.random ?? new RandomPool().bytes,
      clientFor: user => this.#clientFor(user),
    };
  }

  get(call: RequestScope, name: string, resourceVersion?: string): ReturnType<Pipeline['get']> {
    return get(this.#deps, call, name, resourceVersion);
  }

  list(call: RequestScope, query: ListQuery): ReturnType<Pipeline['list']> {
    return list(this.#deps, call, query);
  }

  watch(call: RequestScope, query: WatchQuery): ReturnType<Pipeline['watch']> {
    return watch(this.#deps, call, query);
  }

  create(call: RequestScope, object: KubeObject, write: WriteParameters, name = ''): ReturnType<Pipeline['create']> {
    return call.subresource === ''
      ? create(this.#deps, call, object, write, name)
      : act(this.#deps, call, name, object, write);
  }

  update(call: RequestScope, name: string, object: KubeObject, write: WriteParameters): ReturnType<Pipeline['update']> {
    return (scalePartOf(call) ? updateScale : update)(this.#deps, call, name, object, write);
  }

  patch(call: RequestScope, name: string, body: Patch, write: PatchParameters): ReturnType<Pipeline['patch']> {
    return (scalePartOf(call) ? patchScale : patch)(this.#deps, call, name, body, write);
  }

  delete(
    call: RequestScope,
    name: string,
    options: DeleteOptions,
    write: WriteParameters,
  ): ReturnType<Pipeline['delete']> {
    return removeOne(this.#deps, call, name, options, write);
  }

  deleteCollection(
    call: RequestScope,
    query: ListQuery,
    options: DeleteOptions,
    write: WriteParameters,
  ): ReturnType<Pipeline['deleteCollection']> {
    return removeCollection(this.#deps, call, query, options, write);
  }

  connect(call: RequestScope, name: string, options: KubeObject): Promise<void> {
    return admitConnect(this.#deps, call, name, options);
  }

  getCached(scope: ResourceScope, name: string): ReturnType<Pipeline['getCached']> {
    return getCached(this.#deps, scope, name);
  }

  listCached(scope: ResourceScope): ReturnType<Pipeline['listCached']> {
    return listCached(this.#deps, scope);
  }

  getParsed(scope: ResourceScope, name: string): KubeObject | undefined {
    return getParsed(this.#deps, scope, name);
  }

  convert(call: RequestScope, stored: Stored): Maybe<KubeObject> {
    return convertStored(call, stored);
  }

  counts(): readonly ObjectCount[] {
    return this.#stores.counts();
  }

  close(): Promise<void> {
    return this.#stores.close();
  }

  #clientFor(user: Identity): Client {
    let client = this.#clients.get(user);
    if (client === undefined) this.#clients.set(user, (client = loopback(this, this.#deps.catalogue, user)));
    return client;
  }
}

/** Creates the pipeline over a backend, which is opened and closed by the caller. */
export const createPipeline = (options: PipelineOptions): RunningPipeline => new BackendPipeline(options);
