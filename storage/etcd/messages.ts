/**
 * The etcd messages and fields that the backend uses, with etcd's names; field numbers are those of api/etcdserverpb/rpc.proto and
 * api/mvccpb/kv.proto. hot: written by hand, since each write is encoded once and decoded twice (`bench --table apiserver --storage etcd`).
 */
import { MessageReader, MessageWriter, fieldBytes } from '../../lib/protobuf/message.js';

export interface KeyValue {
  readonly key: Buffer;
  readonly mod_revision: number;
  readonly version: number;
  readonly value: Buffer;
}

export interface Header {
  /** Rounded beyond 2^53: it is only compared. */
  readonly cluster_id: number;
  readonly revision: number;
}

interface RangeRequest {
  readonly key: Buffer;
  readonly range_end?: Buffer;
  readonly limit?: number;
  readonly revision?: number;
  readonly count_only?: boolean;
  readonly keys_only?: boolean;
  /** Older keys are counted, but not returned. */
  readonly min_mod_revision?: number;
}

export interface RangeResponse {
  readonly header: Header;
  readonly kvs: readonly KeyValue[];
  readonly more: boolean;
  readonly count: number;
}

/** A transaction that puts or removes the key if it has this version or modification revision, and reads it otherwise. */
export interface TxnRequest {
  readonly key: Buffer;
  readonly expect: { readonly version: number } | { readonly mod_revision: number };
  readonly success: { readonly value: Uint8Array; readonly lease?: bigint } | 'remove';
}

export interface TxnResponse {
  readonly header: Header;
  readonly succeeded: boolean;
  /** The item that was removed, or the one that was read. */
  readonly kv: KeyValue | undefined;
}

export interface EtcdEvent {
  readonly type: 'Put' | 'Delete';
  readonly kv: KeyValue;
  readonly prev_kv: KeyValue | undefined;
}

export type WatchRequest =
  | {
      readonly create: {
        readonly key: Buffer;
        readonly range_end: Buffer;
        readonly start_revision: number;
        readonly prev_kv: boolean;
      };
    }
  | 'progress';

export interface WatchResponse {
  readonly header: Header;
  readonly created: boolean;
  readonly canceled: boolean;
  readonly compact_revision: number;
  readonly cancel_reason: string;
  readonly fragment: boolean;
  readonly events: readonly EtcdEvent[];
}

const none = Buffer.alloc(0);
const noHeader: Header = { cluster_id: 0, revision: 0 };

function readHeader(reader: MessageReader): Header {
  let cluster_id = 0;
  let revision = 0;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) cluster_id = reader.number();
    else if (field === 3) revision = reader.number();
    else reader.skipField();
  }
  return { cluster_id, revision };
}

function readKeyValue(reader: MessageReader): KeyValue {
  let key: Buffer = none;
  let mod_revision = 0;
  let version = 0;
  let value: Buffer = none;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) key = reader.bytes();
    else if (field === 3) mod_revision = reader.number();
    else if (field === 4) version = reader.number();
    else if (field === 5) value = reader.bytes();
    else reader.skipField();
  }
  return { key, mod_revision, version, value };
}

function readRange(reader: MessageReader): RangeResponse {
  let header = noHeader;
  const kvs: KeyValue[] = [];
  let more = false;
  let count = 0;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) header = reader.message(readHeader);
    else if (field === 2) kvs.push(reader.message(readKeyValue));
    else if (field === 3) more = reader.bool();
    else if (field === 4) count = reader.number();
    else reader.skipField();
  }
  return { header, kvs, more, count };
}

function readDeleted(reader: MessageReader): KeyValue | undefined {
  let kv: KeyValue | undefined;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 3) kv = reader.message(readKeyValue);
    else reader.skipField();
  }
  return kv;
}

function readResult(reader: MessageReader): KeyValue | undefined {
  let kv: KeyValue | undefined;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) kv = reader.message(readRange).kvs[0];
    else if (field === 3) kv = reader.message(readDeleted);
    else reader.skipField();
  }
  return kv;
}

function readTxn(reader: MessageReader): TxnResponse {
  let header = noHeader;
  let succeeded = false;
  let kv: KeyValue | undefined;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) header = reader.message(readHeader);
    else if (field === 2) succeeded = reader.bool();
    else if (field === 3) kv = reader.message(readResult);
    else reader.skipField();
  }
  return { header, succeeded, kv };
}

function readEvent(reader: MessageReader): EtcdEvent {
  let type: EtcdEvent['type'] = 'Put';
  let kv: KeyValue = { key: none, mod_revision: 0, version: 0, value: none };
  let prev_kv: KeyValue | undefined;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) type = reader.number() === 0 ? 'Put' : 'Delete';
    else if (field === 2) kv = reader.message(readKeyValue);
    else if (field === 3) prev_kv = reader.message(readKeyValue);
    else reader.skipField();
  }
  return { type, kv, prev_kv };
}

/** Decodes a WatchResponse. Keys and values are views of `bytes`. Throws WireError. */
export function decodeWatch(bytes: Buffer): WatchResponse {
  const reader = new MessageReader(bytes);
  let header = noHeader;
  let created = false;
  let canceled = false;
  let compact_revision = 0;
  let cancel_reason = '';
  let fragment = false;
  const events: EtcdEvent[] = [];
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 1) header = reader.message(readHeader);
    else if (field === 3) created = reader.bool();
    else if (field === 4) canceled = reader.bool();
    else if (field === 5) compact_revision = reader.number();
    else if (field === 6) cancel_reason = reader.text();
    else if (field === 7) fragment = reader.bool();
    else if (field === 11) events.push(reader.message(readEvent));
    else reader.skipField();
  }
  return { header, created, canceled, compact_revision, cancel_reason, fragment, events };
}

function readLease(reader: MessageReader): { readonly ID: bigint } {
  let ID = 0n;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 2) ID = reader.long();
    else reader.skipField();
  }
  return { ID };
}

function readStatus(reader: MessageReader): { readonly version: string; readonly dbSize: number } {
  let version = '';
  let dbSize = 0;
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 2) version = reader.text();
    else if (field === 3) dbSize = reader.number();
    else reader.skipField();
  }
  return { version, dbSize };
}

function encodeRange(request: RangeRequest): Buffer {
  const { key, range_end = none, limit = 0, revision = 0, min_mod_revision = 0 } = request;
  const writer = new MessageWriter(key.length + range_end.length + 7 * fieldBytes);
  writer.numberField(10, min_mod_revision);
  if (request.count_only) writer.numberField(9, 1);
  if (request.keys_only) writer.numberField(8, 1);
  writer.numberField(4, revision);
  writer.numberField(3, limit);
  if (range_end.length > 0) writer.bytesField(2, range_end);
  writer.bytesField(1, key);
  return writer.finish();
}

/** Values of CompareTarget. */
const versionTarget = 0;
const modTarget = 2;

function encodeTxn({ key, expect, success }: TxnRequest): Buffer {
  const size = success === 'remove' ? 0 : success.value.length;
  const writer = new MessageWriter(3 * key.length + size + 16 * fieldBytes);
  // failure: request_range
  let { mark } = writer;
  writer.bytesField(1, key);
  writer.messageField(1, mark);
  writer.messageField(3, mark);
  mark = writer.mark;
  if (success === 'remove') {
    // request_delete_range, with prev_kv
    writer.numberField(3, 1);
    writer.bytesField(1, key);
    writer.messageField(3, mark);
  } else {
    // request_put
    if (success.lease !== undefined) writer.oneofField(3, success.lease);
    writer.bytesField(2, success.value);
    writer.bytesField(1, key);
    writer.messageField(2, mark);
  }
  writer.messageField(2, mark);
  // compare: equal, which is the default
  mark = writer.mark;
  if ('version' in expect) writer.oneofField(4, expect.version);
  else writer.oneofField(6, expect.mod_revision);
  writer.bytesField(3, key);
  writer.numberField(2, 'version' in expect ? versionTarget : modTarget);
  writer.messageField(1, mark);
  return writer.finish();
}

/** Encodes a WatchRequest: the creation of a watch that tells its progress, or the request to tell it now. */
export function encodeWatch(request: WatchRequest): Buffer {
  const { key, range_end, start_revision, prev_kv } =
    request === 'progress' ? { key: none, range_end: none, start_revision: 0, prev_kv: false } : request.create;
  const writer = new MessageWriter(key.length + range_end.length + 8 * fieldBytes);
  const { mark } = writer;
  if (request === 'progress') {
    writer.messageField(3, mark);
    return writer.finish();
  }
  // fragment, prev_kv, progress_notify
  for (const flag of prev_kv ? [8, 6, 4] : [8, 4]) writer.numberField(flag, 1);
  writer.numberField(3, start_revision);
  writer.bytesField(2, range_end);
  writer.bytesField(1, key);
  writer.messageField(1, mark);
  return writer.finish();
}

function encodeNumber(value: number): Buffer {
  const writer = new MessageWriter(fieldBytes);
  writer.numberField(1, value);
  return writer.finish();
}

function readToken(reader: MessageReader): { readonly token: string } {
  let token = '';
  for (let field = reader.next(); field !== 0; field = reader.next()) {
    if (field === 2) token = reader.text();
    else reader.skipField();
  }
  return { token };
}

function encodeUser({ name, password }: { readonly name: string; readonly password: string }): Buffer {
  const [first, second] = [Buffer.from(name), Buffer.from(password)];
  const writer = new MessageWriter(first.length + second.length + 2 * fieldBytes);
  writer.bytesField(2, second);
  writer.bytesField(1, first);
  return writer.finish();
}

export const watchPath = '/etcdserverpb.Watch/Watch';

/** A method: its full name, and the encoding of its messages. */
interface Method<Q, A> {
  readonly path: string;
  readonly encode: (request: Q) => Buffer;
  readonly decode: (bytes: Buffer) => A;
}

function method<Q, A>(
  service: 'Auth' | 'KV' | 'Lease' | 'Maintenance',
  name: string,
  encode: (request: Q) => Buffer,
  read: (reader: MessageReader) => A,
): Method<Q, A> {
  return { path: `/etcdserverpb.${service}/${name}`, encode, decode: bytes => read(new MessageReader(bytes)) };
}

/** The methods that the backend calls. */
export const methods = {
  range: method('KV', 'Range', encodeRange, readRange),
  txn: method('KV', 'Txn', encodeTxn, readTxn),
  compact: method(
    'KV',
    'Compact',
    ({ revision }: { readonly revision: number }) => encodeNumber(revision),
    () => undefined,
  ),
  leaseGrant: method('Lease', 'LeaseGrant', ({ TTL }: { readonly TTL: number }) => encodeNumber(TTL), readLease),
  authenticate: method('Auth', 'Authenticate', encodeUser, readToken),
  status: method('Maintenance', 'Status', (_: Readonly<Record<string, never>>) => none, readStatus),
};

type Methods = typeof methods;
export type MethodName = keyof Methods;
export type EtcdRequest<M extends MethodName> = Parameters<Methods[M]['encode']>[0];
export type Response<M extends MethodName> = ReturnType<Methods[M]['decode']>;
