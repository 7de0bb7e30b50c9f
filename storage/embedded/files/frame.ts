import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

/**
 * Everything on disk is a sequence of frames:
 *
 *     magic (4) | length of payload (4) | CRC-32 of the salt, the length and the payload (4) | payload
 *
 * The salt is random for each file, whose first frame holds it (and itself has salt 0), so that no stored value can be taken for a frame.
 * The magic is not valid UTF-8, so it is rare inside values.
 */
const magic = Buffer.from([0xf7, 0xf5, 0xc1, 0xff]);
export const frameOverhead = 12;

/** Returns a frame of `length` payload bytes, in `scratch` if it fits; the caller fills `frame.subarray(frameOverhead)` and seals it. */
export function emptyFrame(length: number, scratch?: Buffer): Buffer {
  const size = frameOverhead + length;
  const frame = scratch !== undefined && size <= scratch.length ? scratch.subarray(0, size) : Buffer.allocUnsafe(size);
  magic.copy(frame);
  frame.writeUInt32LE(length, 4);
  return frame;
}

function checksum(frame: Buffer, salt: number): number {
  return crc32(frame.subarray(frameOverhead), crc32(frame.subarray(4, 8), salt));
}

/** Writes the checksum into a frame whose payload is complete. Returns the frame. */
export function seal(frame: Buffer, salt: number): Buffer {
  frame.writeUInt32LE(checksum(frame, salt), 8);
  return frame;
}

/** Returns the payload at `offset`, if a complete and valid frame begins there. */
export function frameAt(bytes: Buffer, offset: number, salt: number): Buffer | undefined {
  if (bytes.length - offset < frameOverhead || bytes.compare(magic, 0, 4, offset, offset + 4) !== 0) return undefined;
  const end = offset + frameOverhead + bytes.readUInt32LE(offset + 4);
  if (end > bytes.length) return undefined;
  const frame = bytes.subarray(offset, end);
  return checksum(frame, salt) === frame.readUInt32LE(8) ? frame.subarray(frameOverhead) : undefined;
}

/** Returns whether any valid frame begins at or after `offset`. */
export function frameFollows(bytes: Buffer, offset: number, salt: number): boolean {
  for (let at = bytes.indexOf(magic, offset); at >= 0; at = bytes.indexOf(magic, at + 1)) {
    if (frameAt(bytes, at, salt) !== undefined) return true;
  }
  return false;
}

/** Bytes that are read at a time. */
const chunk = 1 << 20;
/** Payload bytes. A frame with a longer length was never written. */
const maxPayload = 1 << 28;

/**
 * Reads frame after frame from a file of any size; `saltOf` gets the first payload. A payload is valid until the next one is read, since all share a
 * buffer: on some virtual machines new memory takes longer than what is done with it. Yields undefined once, and ends, where no valid frame begins;
 * ends without it at the end of the file.
 */
export async function* readFrames(
  file: FileHandle,
  saltOf: (first: Buffer) => number,
): AsyncGenerator<Buffer | undefined> {
  let salt: number | undefined;
  let buffer = Buffer.allocUnsafeSlow(chunk);
  let bytes = buffer.subarray(0, 0);
  let position = 0;
  for (;;) {
    const wanted = bytes.length < frameOverhead ? frameOverhead : frameOverhead + bytes.readUInt32LE(4);
    if (bytes.length < wanted && wanted <= maxPayload) {
      const from = wanted > buffer.length ? Buffer.allocUnsafeSlow(2 * wanted) : buffer;
      bytes.copy(from);
      buffer = from;
      const { bytesRead } = await file.read(buffer, bytes.length, buffer.length - bytes.length, position);
      position += bytesRead;
      bytes = buffer.subarray(0, bytes.length + bytesRead);
      if (bytesRead > 0) continue;
      if (bytes.length > 0) yield undefined;
      return;
    }
    const payload = frameAt(bytes, 0, salt ?? 0);
    yield payload;
    if (payload === undefined) return;
    salt ??= saltOf(payload);
    bytes = bytes.subarray(wanted);
  }
}

/** Reads a file from `start` to its last byte that is not zero. Zeros are the room that was allocated for more. */
export async function readWritten(file: FileHandle, start: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(chunk);
  let end = start;
  for (let position = start; ;) {
    const { bytesRead } = await file.read(buffer, 0, chunk, position);
    if (bytesRead === 0) break;
    const written = writtenLength(buffer.subarray(0, bytesRead));
    if (written > 0) end = position + written;
    position += bytesRead;
  }
  const bytes = Buffer.allocUnsafeSlow(end - start);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
  return bytes.subarray(0, bytesRead);
}

const zeros = Buffer.alloc(chunk);

/** Returns the length without trailing zeros. */
function writtenLength(bytes: Buffer): number {
  if (bytes.equals(zeros.subarray(0, bytes.length))) return 0;
  let length = bytes.length;
  while (bytes[length - 1] === 0) length--;
  return length;
}
