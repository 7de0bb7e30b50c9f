/**
 * Encodes bytes as their difference to similar bytes, the base. Used for past versions of an object, which most writes change only a little.
 *
 *   bytes        {"a":1,"b":"some text","c":7}
 *   base         {"a":22,"b":"some text","c":8}
 *   difference   copy 5 bytes from 0 · "1" · copy 21 from 7 · "7" · copy 1 from 29
 *
 * A difference is a string with one character per byte: a list of `number of new bytes, new bytes, position to copy from, number of bytes to copy`,
 * with numbers as protobuf's varints. A string takes a third of the memory of a buffer.
 */

/** Buffer for the difference. A difference of more than half of the bytes, or of more than this size, is not used. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);
/** Three numbers of at most 5 bytes each. */
const headBytes = 15;
/** Maximum number of separate edits. After them, everything up to the common end is one edit. */
const maxEdits = 24;
/** Number of equal bytes that end an edit. */
const matchBytes = 16;
/** Maximum number of bytes that an edit skips in both buffers together: another number or time, or a further short field. */
const maxSkip = 48;
/** Number of bytes that one call compares. */
const blockBytes = 512;

/** Returns the number of equal bytes from `i` and from `j` on. */
function sameAfter(bytes: Buffer, i: number, base: Buffer, j: number): number {
  const limit = Math.min(bytes.length - i, base.length - j);
  let same = 0;
  for (let next = blockBytes; next <= limit; next += blockBytes) {
    if (bytes.compare(base, j + same, j + next, i + same, i + next) !== 0) break;
    same = next;
  }
  while (same < limit && bytes[i + same] === base[j + same]) same++;
  return same;
}

/** Returns the number of equal bytes at the end, without those before `i` and `j`. */
function sameBefore(bytes: Buffer, i: number, base: Buffer, j: number): number {
  const limit = Math.min(bytes.length - i, base.length - j);
  const [end, baseEnd] = [bytes.length, base.length];
  let same = 0;
  for (let next = blockBytes; next <= limit; next += blockBytes) {
    if (bytes.compare(base, baseEnd - next, baseEnd - same, end - next, end - same) !== 0) break;
    same = next;
  }
  while (same < limit && bytes[end - 1 - same] === base[baseEnd - 1 - same]) same++;
  return same;
}

function isMatch(bytes: Buffer, i: number, base: Buffer, j: number): boolean {
  if (i + matchBytes > bytes.length || j + matchBytes > base.length) return false;
  for (let k = 0; k < matchBytes; k++) if (bytes[i + k] !== base[j + k]) return false;
  return true;
}

/** Returns the end of an edit, the nearest match, as `skipped bytes + skipped bytes of the base * maxSkip`; -1 without a near match. */
function nextMatch(bytes: Buffer, i: number, base: Buffer, j: number): number {
  for (let both = 1; both < maxSkip; both++)
    for (let skipped = 0; skipped <= both; skipped++)
      if (isMatch(bytes, i + skipped, base, j + both - skipped)) return skipped + (both - skipped) * maxSkip;
  return -1;
}

/** Writes a number as a varint, and returns its end. */
export function putNumber(to: Buffer, at: number, value: number): number {
  for (; value > 0x7f; value >>>= 7) to[at++] = (value & 0x7f) | 0x80;
  to[at++] = value;
  return at;
}

/** hot: once per update of an object. Returns the difference of the bytes to the base; undefined if it is not much shorter than the bytes. */
export function differenceOf(bytes: Buffer, base: Buffer): string | undefined {
  const maxUsed = Math.min(bytes.length >>> 1, scratch.length) - headBytes;
  let used = 0;
  /** The end of the bytes that have been encoded. */
  let done = 0;
  let j = 0;
  const put = (to: number, from: number, count: number): boolean => {
    if (used + to - done > maxUsed) return false;
    used = putNumber(scratch, used, to - done);
    used += bytes.copy(scratch, used, done, to);
    used = putNumber(scratch, putNumber(scratch, used, from), count);
    done = to + count;
    return true;
  };
  let i = 0;
  for (let edits = 0; ; edits++) {
    const same = sameAfter(bytes, i, base, j);
    if (same > 0 && !put(i, j, same)) return undefined;
    i += same;
    j += same;
    if (i === bytes.length) break;
    const match = edits < maxEdits ? nextMatch(bytes, i, base, j) : -1;
    if (match < 0) {
      const end = sameBefore(bytes, i, base, j);
      if (!put(bytes.length - end, base.length - end, end)) return undefined;
      break;
    }
    i += match % maxSkip;
    j += Math.floor(match / maxSkip);
  }
  return scratch.toString('latin1', 0, used);
}

/** Parts of at most this number of bytes are copied byte by byte, since a call would take longer. */
const shortBytes = 48;

/** Returns the bytes that a difference to the base encodes, written to `target`, which is a new buffer by default; `length` is their number. */
export function applyDifference(
  difference: string,
  base: Buffer,
  length: number,
  target: Buffer = Buffer.allocUnsafeSlow(length),
): Buffer {
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = difference.charCodeAt(at++);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  for (let written = 0; written < length;) {
    const count = number();
    if (count > shortBytes) target.write(difference.slice(at, at + count), written, 'latin1');
    else for (let i = 0; i < count; i++) target[written + i] = difference.charCodeAt(at + i);
    written += count;
    at += count;
    const from = number();
    const copied = number();
    if (copied > shortBytes) base.copy(target, written, from, from + copied);
    else for (let i = 0; i < copied; i++) target[written + i] = base[from + i] ?? 0;
    written += copied;
  }
  return target;
}
