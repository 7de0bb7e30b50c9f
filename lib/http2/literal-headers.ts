/**
 * Writes header blocks that use only the static table (RFC 7541, appendix A). They take a hundred bytes more for each answer than with a dynamic
 * table, but need no state: no table for each connection, and the peer's table size does not matter.
 */
import { BlockWriter, statusIndexes } from './block-writer.js';

type HeaderValues = Readonly<Record<string, string | number | readonly string[]>>;

/** The scratch buffer of all blocks. */
const scratch = new BlockWriter();

/**
 * hot: returns the header block of an answer. Names are in lower case. The block is a view of a scratch buffer, and valid until the next
 * call. `clearsTable`: sets the table size to 0, which a client with a smaller table than the default requires (section 4.2).
 */
export function literalHeaders(status: number, headers: HeaderValues, clearsTable = false): Buffer {
  scratch.begin(clearsTable);
  const known = statusIndexes.get(status);
  if (known !== undefined) scratch.index(known);
  else scratch.field(':status', String(status));
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === 'string') scratch.field(name, value);
    else if (typeof value === 'number') scratch.field(name, String(value));
    else for (const one of value ?? []) scratch.field(name, one);
  }
  return scratch.block();
}
