import type { Item } from '../interface.js';
import { toRevision } from '../revision.js';
import type { KeyValue } from './messages.js';

/** Returns the end of the range of keys that begin with `prefix`; for etcd a zero byte means no end. */
export function rangeEnd(prefix: Buffer): Buffer {
  for (let last = prefix.length - 1; last >= 0; last--) {
    const byte = prefix[last] ?? 0xff;
    if (byte === 0xff) continue;
    const end = Buffer.from(prefix.subarray(0, last + 1));
    end[last] = byte + 1;
    return end;
  }
  return Buffer.from([0]);
}

/** Returns a copy of a value whose buffer is much larger, so that a value that is kept does not keep its whole message. */
function ownBuffer(value: Buffer): Buffer {
  return value.buffer.byteLength > 4 * value.length + 4096 ? Buffer.from(value) : value;
}

/** Translates keys between the store's callers and etcd. */
export interface Keys {
  encode(key: string): Buffer;
  readonly item: (kv: KeyValue) => Item<Uint8Array>;
  decode(key: Buffer): string;
}

/** The prefix of keys for the store's callers. */
const registry = '/registry';

/** Creates the translation, which replaces `/registry` at the start of keys by `prefix`. */
export function createKeys(prefix = registry): Keys {
  const moved = prefix !== registry;
  const out = (key: string): string => (key.startsWith(registry) ? prefix + key.slice(registry.length) : key);
  const back = (key: string): string => (key.startsWith(prefix) ? registry + key.slice(prefix.length) : key);
  const decode = (key: Buffer): string => (moved ? back(key.toString('utf8')) : key.toString('utf8'));
  return {
    encode: key => Buffer.from(moved ? out(key) : key),
    decode,
    item: kv => ({ key: decode(kv.key), value: ownBuffer(kv.value), revision: toRevision(kv.mod_revision) }),
  };
}
