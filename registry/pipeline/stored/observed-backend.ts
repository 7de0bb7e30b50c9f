import type { CacheSource } from '../../../storage/interface.js';

/** A resource, as the label of metrics. */
export interface ObjectKind {
  readonly group: string;
  readonly resource: string;
}

export type StoreOperation = 'get' | 'list' | 'create' | 'update' | 'delete';

/** Returns the observer of a kind, which is called after each request to the store. */
export type ObserveStore = (kind: ObjectKind) => (operation: StoreOperation, seconds: number, failed: boolean) => void;

/** All members of a backend, so that the compiler reports one that `observedBackend` does not pass on. */
type Members = { readonly [K in keyof Required<CacheSource>]: CacheSource[K] };

/** Returns a backend that reports its requests. hot: once per write, and per read that the cache cannot answer. */
export function observedBackend(backend: CacheSource, observe: ReturnType<ObserveStore>): CacheSource {
  const timed = <T>(operation: StoreOperation, request: Promise<T>): Promise<T> => {
    const start = performance.now();
    const end = (failed: boolean): void => observe(operation, (performance.now() - start) / 1000, failed);
    request.then(
      () => end(false),
      () => end(true),
    );
    return request;
  };
  const members: Members = {
    get: (key, options) => timed('get', backend.get(key, options)),
    range: (prefix, options) => timed('list', backend.range(prefix, options)),
    put: (key, expect, value, options) =>
      timed(expect === 'absent' ? 'create' : 'update', backend.put(key, expect, value, options)),
    remove: (key, expect) => timed('delete', backend.remove(key, expect)),
    watch: (prefix, from, signal, how) => backend.watch(prefix, from, signal, how),
    revision: () => backend.revision(),
    requestProgress: prefix => backend.requestProgress(prefix),
    past: backend.past?.bind(backend),
    happened: backend.happened?.bind(backend),
    compare: backend.compare?.bind(backend),
    asksTogether: backend.asksTogether,
  };
  const { past, happened, compare, asksTogether, ...required } = members;
  return {
    ...required,
    ...(past && { past }),
    ...(happened && { happened }),
    ...(compare && { compare }),
    ...(asksTogether && { asksTogether }),
  };
}
