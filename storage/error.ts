import type { Revision } from './interface.js';

export type StorageErrorCode =
  | 'compacted' // the revision is compacted: HTTP 410
  | 'future' // the revision has not been reached in time: HTTP 504
  | 'unavailable' // the store cannot be reached now; the outcome of a write is unknown
  | 'unwritable' // the disk takes no writes; reads go on; the outcome of a write is unknown: HTTP 500
  | 'initializing' // a cache that is needed is not filled yet: HTTP 429
  | 'corrupt' // what was read is not what was written
  | 'tooLarge' // the value exceeds the store's limit
  | 'full' // there is no room for any value: HTTP 500
  | 'locked' // another process has the data directory
  | 'format'; // the data was written by a newer version

interface StorageErrorOptions {
  readonly cause?: unknown;
  readonly revision?: Revision | undefined;
  readonly holder?: number;
}

/** A failure of a store, which callers tell apart by its code. */
export class StorageError extends Error {
  readonly code: StorageErrorCode;
  /** For 'compacted' and 'future': the store's current (or oldest) revision, when known. */
  readonly revision: Revision | undefined;
  /** For 'locked': the number of the process that has the data directory, when known. */
  readonly holder: number | undefined;
  constructor(code: StorageErrorCode, message: string, options?: StorageErrorOptions) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'StorageError';
    this.code = code;
    this.revision = options?.revision;
    this.holder = options?.holder;
  }

  /** True when the disk refuses writes. The store logs that state once, so callers do not log each refused write. */
  get isReportedElsewhere(): boolean {
    return this.code === 'unwritable';
  }
}
