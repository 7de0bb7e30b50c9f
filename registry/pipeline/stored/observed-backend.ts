import type { CacheSource } from '../../../storage/interface.js';

/** A resource, as the label of metrics. */
export interface ObjectKind {
  readonly group: string;
  readonly resource: string;
}

export type StoreOperation = 'get' | 'list' | 'create' | 'update' | 'delete';

/** Returns the observer of a kind, which is called after each request to the store. */
export type ObserveStore = (kind: ObjectKind) => (operation: StoreOperation, seconds: number, failed: boolean) => void;

/** All members of a backend, so that the compiler reports one that `ObservedBackend` does not pass on. */
type Members = { readonly [K in keyof Required<CacheSource>]: CacheSource[K] };

/** hot: once per write, and per read that the cache cannot answer. Passes requests on to a backend, and reports those that take time. */
class ObservedBackend implements Members {
  /** Members that not every backend has. */
  readonly past: Members['past'];
  readonly happened: Members['happened'];
  readonly compare: Members['compare'];
  readonly asksTogether: Members['asksTogether'];
  readonly #backend: CacheSource;
  readonly #observe: ReturnType<ObserveStore>;

  constructor(backend: CacheSource, observe: ReturnType<ObserveStore>) {
    this.#backend = backend;
    this.#observe = observe;
    this.past = backend.past?.bind(backend);
    this.happened = backend.happened?.bind(backend);
    this.compare = backend.compare?.bind(backend);
    this.asksTogether = backend.asksTogether;
  }

  get(...[key, options]: Parameters<Members['get']>): ReturnType<Members['get']> {
    return this.#timed('get', this.#backend.get(key, options));
  }

  range(...[prefix, options]: Parameters<Members['range']>): ReturnType<Members['range']> {
    return this.#timed('list', this.#backend.range(prefix, options));
  }

  put(...[key, expect, value, options]: Parameters<Members['put']>): ReturnType<Members['put']> {
    return this.#timed(expect === 'absent' ? 'create' : 'update', this.#backend.put(key, expect, value, options));
  }

  remove(...[key, expect]: Parameters<Members['remove']>): ReturnType<Members['remove']> {
    return this.#timed('delete', this.#backend.remove(key, expect));
  }

  watch(...[prefix, from, signal, how]: Parameters<Members['watch']>): ReturnType<Members['watch']> {
    return this.#backend.watch(prefix, from, signal, how);
  }

  revision(): ReturnType<Members['revision']> {
    return this.#backend.revision();
  }

  requestProgress(prefix: string): boolean {
    return this.#backend.requestProgress(prefix);
  }

  #timed<T>(operation: StoreOperation, request: Promise<T>): Promise<T> {
    const start = performance.now();
    const end = (failed: boolean): void => this.#observe(operation, (performance.now() - start) / 1000, failed);
    request.then(
      () => end(false),
      () => end(true),
    );
    return request;
  }
}

/** Returns a backend that reports its requests. A member that the given one does not have is undefined. */
export const observedBackend = (backend: CacheSource, observe: ReturnType<ObserveStore>): CacheSource =>
  new ObservedBackend(backend, observe) as CacheSource;
