/** What clients of one namespace did and saw, in the order of one clock. */

/** Position on the clock that all clients share; grows with every look. */
export type Tick = number;

interface Timed {
  readonly client: string;
  readonly key: string;
  readonly start: Tick;
  readonly end: Tick;
}

export type Operation =
  /** `expect`: the version that it replaces, 0: none. A value is written once in a history; a removal has none. */
  | (Timed & {
      readonly type: 'write';
      readonly expect: number;
      readonly value: string | undefined;
      /** 'unknown': the answer was lost, and perhaps the write. */
      readonly outcome: 'done' | 'refused' | 'unknown';
      /** Of what was done, unless it was a removal, whose answer has none. */
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
  /** Of a removal: what stood there last. */
  readonly value: string;
}

/** What a watcher was told after `from`; it was interrupted any number of times, and went on where it was. */
export interface Watched {
  readonly watcher: string;
  readonly from: number;
  readonly events: readonly Event[];
  /** Nothing is missing up to here. */
  readonly to: number;
}

export interface History {
  readonly operations: readonly Operation[];
  readonly watches: readonly Watched[];
}
