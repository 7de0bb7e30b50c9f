import { StorageError } from './error.js';
import type { Backend } from './interface.js';

const isUnwritable = (error: unknown): boolean => error instanceof StorageError && error.code === 'unwritable';

/** The health of a store, apart for those who read and for those who write. */
export class StoreHealth {
  readonly #backend: Pick<Backend, 'health'>;

  constructor(backend: Pick<Backend, 'health'>) {
    this.#backend = backend;
  }

  /** Rejects when the store cannot be read. A store whose disk takes no writes can: reads and watches need no disk. */
  async readable(): Promise<void> {
    try {
      await this.#backend.health();
    } catch (error) {
      if (!isUnwritable(error)) throw error;
    }
  }

  /** Rejects when the store cannot be read, or cannot be written. */
  writable(): Promise<void> {
    return this.#backend.health();
  }

  /** Rejects only while the disk takes no writes; other errors are those of `readable`. */
  async disk(): Promise<void> {
    try {
      await this.#backend.health();
    } catch (error) {
      if (isUnwritable(error)) throw error;
    }
  }
}
