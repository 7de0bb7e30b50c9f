/** Watch events on the wire: lines of JSON, or protobuf messages, each after a length of four bytes. */
import { BlockReader } from '../../apiserver/negotiate/protobuf/block-reader.js';
import { decodeProtobuf } from '../../apiserver/negotiate/protobuf/envelope.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { parseJson } from '../../lib/json/json.js';

export interface WatchEvent {
  readonly type: string;
  readonly object: KubeObject;
}

const isBinary = (type: string): boolean => type.startsWith('application/vnd.kubernetes.protobuf');

/** Returns start and end of the body of the first frame, and the start of the next frame; undefined if it is incomplete. */
function measure(bytes: Buffer, binary: boolean): { from: number; to: number; next: number } | undefined {
  if (!binary) {
    const end = bytes.indexOf('\n');
    return end < 0 ? undefined : { from: 0, to: end, next: end + 1 };
  }
  if (bytes.length < 4) return undefined;
  const to = 4 + bytes.readUInt32BE(0);
  return bytes.length < to ? undefined : { from: 4, to, next: to };
}

/** Yields the bodies of frames. Throws if the stream ends inside a frame. */
export async function* frames(chunks: AsyncIterable<Buffer>, type: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    for (let at = measure(rest, isBinary(type)); at; at = measure(rest, isBinary(type))) {
      yield rest.subarray(at.from, at.to);
      rest = rest.subarray(at.next);
    }
  }
  if (rest.length > 0) throw new Error(`the stream ended inside a frame of ${rest.length} bytes`);
}

/** Returns a decoded WatchEvent. In protobuf it has a type, and a RawExtension with the object in its envelope. */
export function decodeFrame(frame: Buffer, type: string): WatchEvent {
  if (!isBinary(type)) return parseJson(frame.toString()) as WatchEvent;
  let event = '';
  let object: Record<string, unknown> = {};
  const reader = new BlockReader(frame);
  while (!reader.done) {
    const tag = reader.varint();
    if (tag === 10) event = reader.block().text();
    else if (tag === 18) {
      const raw = reader.block();
      if (raw.varint() !== 10) throw new Error('the object of a WatchEvent is not raw');
      object = decodeProtobuf(Buffer.from(raw.block().bytes()), { apiVersion: '', kind: '' });
    } else reader.skip(tag & 7);
  }
  return { type: event, object: object as unknown as KubeObject };
}
