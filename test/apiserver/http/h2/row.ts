/** One case of the protocol: what a client says, and what may come of it. */
import type { Code } from './words.js';

export type Outcome =
  /** The connection ends, and the client is told why. */
  | `GOAWAY ${Code}`
  /** The connection ends. */
  | 'closed'
  /** The stream ends, and the connection serves others. */
  | `RST_STREAM ${Code}`
  /** Nothing comes of it: the stream is as it was, and the connection serves others. */
  | 'open'
  /** The stream was answered to its end, and the connection serves others. */
  | '200'
  | '204'
  | '400'
  | '404'
  | '431';

export type Frames = readonly Uint8Array[];

export interface Row {
  readonly name: string;
  /** Said before; what is given follows once stream 1 has its answer. */
  readonly first?: Frames;
  /** What the server said of itself may matter. */
  readonly given: Frames | ((settings: ReadonlyMap<number, number>) => Frames);
  /** The stream that is looked at; absent: the first. */
  readonly on?: number;
  /** Several where the RFC leaves the choice. */
  readonly expect: Outcome | readonly Outcome[];
  /** Not even the preface comes before it. */
  readonly raw?: true;
}

/** By section of RFC 9113. */
export type Table = Readonly<Record<string, readonly Row[]>>;
