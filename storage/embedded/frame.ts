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

const chunk = 1 << 20;
/** Payload bytes. A frame with a longer length was never written. */
const maxPayload = 1 << 28;

/**
 * Reads frame after frame from a file of any size; `saltOf` gets the first payload. Yields undefined once, and ends, where no valid frame
 * begins; ends without it at the end of the file.
 */
export async function* readFrames(
  file: FileHandle,
  saltOf: (first: Buffer) => number,
): AsyncGenerator<Buffer | undefined> {
  let salt: number | undefined;
  let bytes = Buffer.alloc(0);
  let position = 0;
  for (;;) {
    const wanted = bytes.length < frameOverhead ? frameOverhead : frameOverhead + bytes.readUInt32LE(4);
    if (bytes.length < wanted && wanted <= maxPayload) {
      const more = Buffer.allocUnsafe(Math.max(chunk, wanted - bytes.length));
      const { bytesRead } = await file.read(more, 0, more.length, position);
      position += bytesRead;
      bytes = Buffer.concat([bytes, more.subarray(0, bytesRead)]);
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
