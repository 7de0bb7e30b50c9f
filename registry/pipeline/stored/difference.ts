/**
 * What bytes have that other bytes, much like them, have not: enough to make the ones of the others. For the past versions of an object, which
 * a write leaves almost as they were.
 *
 *   bytes        {"a":1,"b":"some text","c":7}
 *   like         {"a":22,"b":"some text","c":8}
 *   difference   copy 5 bytes from 0 · "1" · copy 21 from 7 · "7" · copy 1 from 29
 *
 * As text, one character for each byte: a list of `length of new bytes, new bytes, from where to copy, how much`, numbers in groups of 7 bits, lowest
 * first (as protobuf's). A text costs the engine a third of what a buffer does.
 */

/** A difference of more than half of the bytes, or of more than this, is not worth it. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);
/** Three numbers of at most 5 bytes each. */
const headBytes = 15;
/** Differences found one by one; what follows is taken as it is, up to what is the same at the end. */
const maxEdits = 24;
/** So many bytes have to be the same again behind a change. */
const sureBytes = 16;
/** So far from a change it is looked for that, in both together: a number or a time in place of another, a short field more. */
const nearBytes = 48;
/** Compared at once while they are the same. */
const blockBytes = 512;

/** How many bytes are the same, from `i` and from `j` on. */
function sameAfter(bytes: Buffer, i: number, like: Buffer, j: number): number {
  const most = Math.min(bytes.length - i, like.length - j);
  let same = 0;
  for (let next = blockBytes; next <= most; next += blockBytes) {
    if (bytes.compare(like, j + same, j + next, i + same, i + next) !== 0) break;
    same = next;
  }
  while (same < most && bytes[i + same] === like[j + same]) same++;
  return same;
}

/** How many bytes are the same at the end, none of them before `i` and `j`. */
function sameBefore(bytes: Buffer, i: number, like: Buffer, j: number): number {
  const most = Math.min(bytes.length - i, like.length - j);
  const [last, lastLike] = [bytes.length, like.length];
  let same = 0;
  for (let next = blockBytes; next <= most; next += blockBytes) {
    if (bytes.compare(like, lastLike - next, lastLike - same, last - next, last - same) !== 0) break;
    same = next;
  }
  while (same < most && bytes[last - 1 - same] === like[lastLike - 1 - same]) same++;
  return same;
}

function isSure(bytes: Buffer, i: number, like: Buffer, j: number): boolean {
  if (i + sureBytes > bytes.length || j + sureBytes > like.length) return false;
  for (let k = 0; k < sureBytes; k++) if (bytes[i + k] !== like[j + k]) return false;
  return true;
}

/** Where they are the same again: the nearest place, as `skipped in bytes + skipped in like * nearBytes`; -1 when it is not near. */
function sameAgain(bytes: Buffer, i: number, like: Buffer, j: number): number {
  for (let both = 1; both < nearBytes; both++)
    for (let mine = 0; mine <= both; mine++)
      if (isSure(bytes, i + mine, like, j + both - mine)) return mine + (both - mine) * nearBytes;
  return -1;
}

/** Writes a number in groups of 7 bits, and returns where it ends. */
export function putNumber(to: Buffer, at: number, value: number): number {
  for (; value > 0x7f; value >>>= 7) to[at++] = (value & 0x7f) | 0x80;
  to[at++] = value;
  return at;
}

/** hot: once per update of an object. Undefined when it would not be much shorter. */
export function differenceOf(bytes: Buffer, like: Buffer): string | undefined {
  const most = Math.min(bytes.length >>> 1, scratch.length) - headBytes;
  let used = 0;
  /** Up to where the bytes are told. */
  let told = 0;
  let j = 0;
  const tell = (to: number, from: number, count: number): boolean => {
    if (used + to - told > most) return false;
    used = putNumber(scratch, used, to - told);
    used += bytes.copy(scratch, used, told, to);
    used = putNumber(scratch, putNumber(scratch, used, from), count);
    told = to + count;
    return true;
  };
  let i = 0;
  for (let edits = 0; ; edits++) {
    const same = sameAfter(bytes, i, like, j);
    if (same > 0 && !tell(i, j, same)) return undefined;
    i += same;
    j += same;
    if (i === bytes.length) break;
    const again = edits < maxEdits ? sameAgain(bytes, i, like, j) : -1;
    if (again < 0) {
      const end = sameBefore(bytes, i, like, j);
      if (!tell(bytes.length - end, like.length - end, end)) return undefined;
      break;
    }
    i += again % nearBytes;
    j += Math.floor(again / nearBytes);
  }
  return scratch.toString('latin1', 0, used);
}

/** Parts of at most so many bytes are copied byte by byte: a call would take longer. */
const shortBytes = 48;

/** Returns the bytes whose difference from `like` this is, in `room` or in a buffer of their own; `length` is theirs. */
export function bytesBy(
  difference: string,
  like: Buffer,
  length: number,
  room: Buffer = Buffer.allocUnsafeSlow(length),
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
  for (let made = 0; made < length;) {
    const count = number();
    if (count > shortBytes) room.write(difference.slice(at, at + count), made, 'latin1');
    else for (let i = 0; i < count; i++) room[made + i] = difference.charCodeAt(at + i);
    made += count;
    at += count;
    const from = number();
    const copied = number();
    if (copied > shortBytes) like.copy(room, made, from, from + copied);
    else for (let i = 0; i < copied; i++) room[made + i] = like[from + i] ?? 0;
    made += copied;
  }
  return room;
}
