/** One row of the conformance tests: what a client sends, and the allowed outcomes. */
import type { Code } from './client-frames.js';

export type Outcome =
  /** The connection ends with GOAWAY. */
  | `GOAWAY ${Code}`
  /** The connection ends. */
  | 'closed'
  /** The stream ends, and the connection serves others. */
  | `RST_STREAM ${Code}`
  /** The stream is unchanged, and the connection serves others. */
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
  /** Frames that are sent before; those of `given` follow once stream 1 has its response. */
  readonly first?: Frames;
  /** Frames to send, which may depend on the settings of the server. */
  readonly given: Frames | ((settings: ReadonlyMap<number, number>) => Frames);
  /** The stream whose outcome counts; absent: the first. */
  readonly on?: number;
  /** Several outcomes where the RFC leaves the choice. */
  readonly expect: Outcome | readonly Outcome[];
  /** The client sends no preface and no settings. */
  readonly raw?: true;
}

/** Rows by section of RFC 9113 or RFC 7541. */
export type Table = Readonly<Record<string, readonly Row[]>>;
