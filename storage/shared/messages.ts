/** The messages between two processes that share a store. Both run the same program, so the messages have no versions. */
import type { StorageErrorCode } from '../error.js';
import type { Change, Item, Outcome, PutOptions, RangeOptions, Revision } from '../interface.js';

/** The number of a question, chosen by the asking side; answers carry it. */
export type Id = number;

export type Question =
  | { readonly op: 'get'; readonly key: string; readonly notBefore: Revision | undefined }
  | { readonly op: 'range'; readonly prefix: string; readonly options: RangeOptions }
  | {
      readonly op: 'put';
      readonly key: string;
      readonly expect: Revision | 'absent';
      readonly value: Uint8Array;
      readonly options: PutOptions;
    }
  | { readonly op: 'remove'; readonly key: string; readonly expect: Revision }
  | { readonly op: 'compact'; readonly upTo: Revision }
  | { readonly op: 'health' }
  | { readonly op: 'watch'; readonly prefix: string; readonly from: Revision; readonly previous: boolean };

export type ToStore =
  | { readonly id: Id; readonly question: Question }
  /** Lets the watch of this id send so many more changes. */
  | { readonly id: Id; readonly more: number }
  /** Cancels the watch of this id. */
  | { readonly id: Id; readonly cancel: true }
  | { readonly progress: string };

export interface SerializedError {
  /** Absent: the error is a bug. */
  readonly code: StorageErrorCode | undefined;
  readonly message: string;
  readonly revision: Revision | undefined;
}

export type FromStore =
  /** The answer, which ends the question. */
  | { readonly id: Id; readonly answer: unknown }
  | { readonly id: Id; readonly fault: SerializedError }
  /** Items of a range; the rest of the page follows as the answer. */
  | { readonly id: Id; readonly items: readonly Item<Uint8Array>[] }
  | { readonly id: Id; readonly changes: readonly Change<Uint8Array>[] };

/** The type of an answer, by question. */
export interface Answers {
  readonly get: Item<Uint8Array> | undefined;
  readonly range: { readonly revision: Revision; readonly remaining: number };
  /** The caller knows the item that was put: the answer is its revision, or the conflict. */
  readonly put: Revision | Extract<Outcome<Uint8Array>, { readonly type: 'conflict' }>;
  readonly remove: Outcome<Uint8Array>;
  readonly compact: undefined;
  readonly health: undefined;
  readonly watch: undefined;
}

/** Changes that a watch may send ahead of its consumer. */
export const watchWindow = 1024;
