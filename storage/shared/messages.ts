/** What two processes that share a store say to each other. Both run the same program: there are no versions of this. */
import type { StorageErrorCode } from '../error.js';
import type { Change, Item, Outcome, PutOptions, RangeOptions, Revision } from '../interface.js';

/** A number that the asking side gives to a question; answers carry it. */
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

export type Asked =
  | { readonly id: Id; readonly question: Question }
  /** The watch of this id may send so many changes more. */
  | { readonly id: Id; readonly more: number }
  /** The watch of this id is not wanted any more. */
  | { readonly id: Id; readonly cancel: true }
  | { readonly progress: string };

export interface Fault {
  /** Absent: a bug. */
  readonly code: StorageErrorCode | undefined;
  readonly message: string;
  readonly revision: Revision | undefined;
}

export type Told =
  /** The answer, and the end of the question. */
  | { readonly id: Id; readonly answer: unknown }
  | { readonly id: Id; readonly fault: Fault }
  /** Items of a range; the page with the last of them is the answer. */
  | { readonly id: Id; readonly items: readonly Item<Uint8Array>[] }
  | { readonly id: Id; readonly changes: readonly Change<Uint8Array>[] };

/** What an answer is, by question. */
export interface Answers {
  readonly get: Item<Uint8Array> | undefined;
  readonly range: { readonly revision: Revision; readonly remaining: number };
  /** The item that was put is known to who put it: its revision, or what stood in the way. */
  readonly put: Revision | Extract<Outcome<Uint8Array>, { readonly type: 'conflict' }>;
  readonly remove: Outcome<Uint8Array>;
  readonly compact: undefined;
  readonly health: undefined;
  readonly watch: undefined;
}

/** Changes that a watch may be ahead of its consumer. */
export const watchWindow = 1024;
