import type { IKeyValue } from 'etcd3';
import type { Item } from '../interface.js';
import { toRevision } from '../revision.js';

/** The end of the range of keys that begin with `prefix`; etcd takes a zero byte for no end. */
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

/** A value is cut out of the message that it came with; one that is held must not hold all its neighbours. */
function own(value: Buffer): Buffer {
  return value.buffer.byteLength > 4 * value.length + 4096 ? Buffer.from(value) : value;
}

/** Keys as the store's callers know them, and as they stand in etcd: behind a prefix. */
export interface Keys {
  encode(key: string): Buffer;
  item(kv: IKeyValue): Item<Uint8Array>;
  decode(key: Buffer): string;
}

export function createKeys(keyPrefix: string): Keys {
  const skip = Buffer.byteLength(keyPrefix);
  const decode = (key: Buffer): string => key.toString('utf8', skip);
  return {
    encode: key => Buffer.from(keyPrefix + key),
    decode,
    item: kv => ({ key: decode(kv.key), value: own(kv.value), revision: toRevision(Number(kv.mod_revision)) }),
  };
}
