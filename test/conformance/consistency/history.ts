/** The operations and watches of the clients of one namespace, in the order of one clock. */

/** Position on the logical clock that all clients share. Each read of the clock advances it. */
export type Tick = number;

interface Timed {
  readonly client: string;
  readonly key: string;
  readonly start: Tick;
  readonly end: Tick;
}

export type Operation =
  /** `expect` is the version that is replaced, 0 for a create. Each value is written once in a history; a removal has no value. */
  | (Timed & {
      readonly type: 'write';
      readonly expect: number;
      readonly value: string | undefined;
      /** 'unknown' means that the answer was lost, and perhaps the write. */
      readonly outcome: 'done' | 'refused' | 'unknown';
      /** The revision of a write that was done; undefined for a removal, whose answer has no revision. */
      readonly revision: number | undefined;
    })
  | (Timed & { readonly type: 'read'; readonly revision: number; readonly value: string })
  | (Timed & { readonly type: 'read'; readonly revision: 'absent' })
  | (Timed & {
      readonly type: 'list';
      readonly revision: number;
      readonly items: ReadonlyMap<string, { readonly revision: number; readonly value: string }>;
    });

export interface Event {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly key: string;
  readonly revision: number;
  /** The value; for a removal, the last one. */
  readonly value: string;
}

/** Events of a watcher after `from`. The watch may have been interrupted and resumed any number of times. */
export interface Watched {
  readonly watcher: string;
  readonly from: number;
  readonly events: readonly Event[];
  /** The revision up to which the events are complete. */
  readonly to: number;
}

export interface History {
  readonly operations: readonly Operation[];
  readonly watches: readonly Watched[];
}
