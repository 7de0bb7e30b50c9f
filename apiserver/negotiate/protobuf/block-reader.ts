import type { ValueBudget } from '../../../apimachinery/meta/values.js';
import { maxDepth } from '../../../lib/json/depth.js';
import { Reader, WireError } from '../../../lib/protobuf/reader.js';

/** Reads the fields of one message. Nested messages have their own readers, which are limited in depth and share one budget of values. */
export class BlockReader extends Reader {
  /** The number of messages that this one is nested in. */
  readonly depth: number;
  readonly values: ValueBudget | undefined;

  constructor(buffer: Buffer, at = 0, end = buffer.length, depth = 0, values?: ValueBudget) {
    super(buffer, at, end);
    this.depth = depth;
    this.values = values;
  }

  /** Reads a length, and returns a reader of that number of bytes; this reader continues after them. */
  block(): BlockReader {
    const from = this.pass();
    if (this.depth >= maxDepth) throw new WireError('exceeded max depth');
    return new BlockReader(this.buffer, from, this.at, this.depth + 1, this.values);
  }

  /** The number of remaining bytes. */
  get length(): number {
    return this.end - this.at;
  }

  /** Returns the remaining bytes. */
  bytes(): Buffer {
    return this.buffer.subarray(this.at, this.end);
  }

  /** Returns the remaining bytes as text. */
  text(): string {
    return this.buffer.toString('utf8', this.at, this.end);
  }
}
