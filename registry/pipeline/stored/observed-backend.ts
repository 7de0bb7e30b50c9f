import type { Backend } from '../../../storage/interface.js';

/** Of which kind the objects are. */
export interface ObjectKind {
  readonly group: string;
  readonly resource: string;
}

export type StoreOperation = 'get' | 'list' | 'create' | 'update' | 'delete';

/** For one kind: is told of each request to the store. */
export type ObserveStore = (kind: ObjectKind) => (operation: StoreOperation, seconds: number, failed: boolean) => void;

/** The backend of one kind, observed. hot: once per write, and per read that the cache cannot answer. */
export function observedBackend(backend: Backend, observe: ReturnType<ObserveStore>): Backend {
  const timed = <T>(operation: StoreOperation, asked: Promise<T>): Promise<T> => {
    const began = performance.now();
    const end = (failed: boolean): void => observe(operation, (performance.now() - began) / 1000, failed);
    asked.then(
      () => end(false),
      () => end(true),
    );
    return asked;
  };
  return {
    ...backend,
    get: (key, options) => timed('get', backend.get(key, options)),
    range: (prefix, options) => timed('list', backend.range(prefix, options)),
    put: (key, expect, value, options) =>
      timed(expect === 'absent' ? 'create' : 'update', backend.put(key, expect, value, options)),
    remove: (key, expect) => timed('delete', backend.remove(key, expect)),
  };
}
