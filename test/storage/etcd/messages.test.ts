import { Etcd3 } from 'etcd3';
import t from 'tap';
import {
  type EtcdRequest,
  type TxnRequest,
  type WatchRequest,
  decodeWatch,
  encodeWatch,
  methods,
} from '../../../storage/etcd/messages.js';
import { MessageReader, MessageWriter } from '../../../lib/protobuf/message.js';

interface Theirs {
  requestDeserialize(bytes: Buffer): unknown;
  responseSerialize(message: unknown): Buffer;
}

/** Compares the codec of etcd's messages with the etcd3 package, which uses etcd's descriptions. */
class Described extends Etcd3 {
  method(service: 'KV' | 'Lease' | 'Maintenance' | 'Watch', name: string): Promise<Theirs> {
    return this.pool.withConnection(service, ({ client }) => {
      const { service: all } = client.constructor as unknown as { readonly service: Record<string, Theirs> };
      const found = all[name];
      if (found === undefined) throw new Error(`etcd has no method ${name}`);
      return found;
    });
  }
}

const described = new Described({ hosts: '127.0.0.1:1' });
t.teardown(() => described.close());

const key = Buffer.from('/registry/a');
const end = Buffer.from('/registry/b');
const large = 2 ** 53 - 1;
const long = '9223372036854775807';
const numbers = [0, 1, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32 + 5, 2 ** 49 - 1, 2 ** 49, large];

t.test('requests', async t => {
  await t.test('range', async t => {
    const theirs = await described.method('KV', 'Range');
    const table: readonly { readonly name: string; readonly given: EtcdRequest<'range'>; readonly expect: object }[] = [
      { name: 'a key', given: { key }, expect: { key, range_end: Buffer.alloc(0), limit: '0', count_only: false } },
      {
        name: 'a page',
        given: { key, range_end: end, limit: 500, revision: large },
        expect: { key, range_end: end, limit: '500', revision: String(large), keys_only: false, serializable: false },
      },
      {
        name: 'what is new',
        given: { key, range_end: end, limit: 1, keys_only: true, min_mod_revision: large },
        expect: { key, keys_only: true, min_mod_revision: String(large), max_mod_revision: '0', limit: '1' },
      },
      { name: 'a count', given: { key, count_only: true }, expect: { key, count_only: true, keys_only: false } },
    ];
    for (const { name, given, expect } of table)
      t.match(theirs.requestDeserialize(methods.range.encode(given)), expect, name);
  });

  await t.test('txn', async t => {
    const theirs = await described.method('KV', 'Txn');
    const value = Buffer.alloc(70_000, 'x');
    const compare = { key, result: 'Equal' };
    const failure = [{ request_range: { key, range_end: Buffer.alloc(0), limit: '0', revision: '0' } }];
    const table: readonly { readonly name: string; readonly given: TxnRequest; readonly expect: object }[] = [
      {
        name: 'put',
        given: { key, expect: { mod_revision: large }, success: { value } },
        expect: {
          compare: [{ ...compare, target: 'Mod', mod_revision: String(large), target_union: 'mod_revision' }],
          success: [{ request_put: { key, value, lease: '0', prev_kv: false } }],
          failure,
        },
      },
      {
        name: 'put what is not there, for a while',
        given: { key, expect: { mod_revision: 0 }, success: { value, lease: BigInt(long) } },
        expect: {
          compare: [{ ...compare, target: 'Mod', mod_revision: '0', target_union: 'mod_revision' }],
          success: [{ request_put: { key, value, lease: long } }],
          failure,
        },
      },
      {
        name: 'put by version',
        given: { key, expect: { version: 0 }, success: { value: Buffer.alloc(0) } },
        expect: {
          compare: [{ ...compare, target: 'Version', version: '0', target_union: 'version' }],
          success: [{ request_put: { key, value: Buffer.alloc(0) } }],
          failure,
        },
      },
      {
        name: 'remove',
        given: { key, expect: { mod_revision: 300 }, success: 'remove' },
        expect: {
          compare: [{ ...compare, target: 'Mod', mod_revision: '300' }],
          success: [{ request_delete_range: { key, range_end: Buffer.alloc(0), prev_kv: true } }],
          failure,
        },
      },
    ];
    for (const { name, given, expect } of table) {
      const read = theirs.requestDeserialize(methods.txn.encode(given)) as Record<string, unknown[]>;
      t.match(read, expect, name);
      t.same(
        [read['compare'], read['success'], read['failure']].map(all => all?.length),
        [1, 1, 1],
        name,
      );
    }
  });

  await t.test('watch', async t => {
    const theirs = await described.method('Watch', 'Watch');
    const flags = { prev_kv: true, progress_notify: true, fragment: true, filters: [], watch_id: '0' };
    const table: readonly { readonly name: string; readonly given: WatchRequest; readonly expect: object }[] = [
      {
        name: 'create',
        given: { create: { key, range_end: end, start_revision: large, prev_kv: true } },
        expect: { create_request: { key, range_end: end, start_revision: String(large), ...flags } },
      },
      {
        name: 'create, without what stood there before',
        given: { create: { key, range_end: end, start_revision: 1, prev_kv: false } },
        expect: { create_request: { ...flags, prev_kv: false } },
      },
      { name: 'progress', given: 'progress', expect: { progress_request: {}, request_union: 'progress_request' } },
    ];
    for (const { name, given, expect } of table) t.match(theirs.requestDeserialize(encodeWatch(given)), expect, name);
  });

  await t.test('the others', async t => {
    const compact = await described.method('KV', 'Compact');
    const grant = await described.method('Lease', 'LeaseGrant');
    const status = await described.method('Maintenance', 'Status');
    for (const number of numbers) {
      t.match(compact.requestDeserialize(methods.compact.encode({ revision: number })), { revision: String(number) });
      t.match(grant.requestDeserialize(methods.leaseGrant.encode({ TTL: number })), { TTL: String(number), ID: '0' });
    }
    t.same(status.requestDeserialize(methods.status.encode({})), {});
  });
});

const header = { cluster_id: '18446744073709551615', member_id: long, revision: String(large), raft_term: '7' };
const ownHeader = { cluster_id: 2 ** 64, revision: large };
const value = Buffer.alloc(300, 'v');
const kv = { key, create_revision: '5', mod_revision: '1000', version: '3', value, lease: long };
const ownKv = { key, mod_revision: 1000, version: 3, value };
const bare = { key: end, mod_revision: String(large), version: '1' };
const ownBare = { key: end, mod_revision: large, version: 1, value: Buffer.alloc(0) };

t.test('answers', async t => {
  await t.test('range', async t => {
    const theirs = await described.method('KV', 'Range');
    const full = theirs.responseSerialize({ header, kvs: [kv, bare], more: true, count: '12345' });
    t.same(methods.range.decode(full), { header: ownHeader, kvs: [ownKv, ownBare], more: true, count: 12_345 });
    const empty = { header: { cluster_id: 0, revision: 0 }, kvs: [], more: false, count: 0 };
    t.same(methods.range.decode(theirs.responseSerialize({})), empty);
    for (let length = 1; length < full.length; length++)
      try {
        // Cut between two fields, it is a valid shorter message.
        t.notSame(methods.range.decode(full.subarray(0, length)).count, 12_345);
      } catch (error) {
        t.match(error, { message: 'unexpected EOF' });
      }
  });

  await t.test('txn', async t => {
    const theirs = await described.method('KV', 'Txn');
    const table: readonly { readonly name: string; readonly given: object; readonly expect: object }[] = [
      { name: 'put', given: { succeeded: true, responses: [{ response_put: { header } }] }, expect: { kv: undefined } },
      {
        name: 'removed',
        given: { succeeded: true, responses: [{ response_delete_range: { deleted: '1', prev_kvs: [kv] } }] },
        expect: { succeeded: true, kv: ownKv },
      },
      {
        name: 'another stands there',
        given: { succeeded: false, responses: [{ response_range: { header, kvs: [kv], count: '1' } }] },
        expect: { succeeded: false, kv: ownKv },
      },
      {
        name: 'nothing stands there',
        given: { succeeded: false, responses: [{ response_range: { header } }] },
        expect: { succeeded: false, kv: undefined },
      },
    ];
    for (const { name, given, expect } of table)
      t.match(
        methods.txn.decode(theirs.responseSerialize({ header, ...given })),
        { header: ownHeader, ...expect },
        name,
      );
  });

  await t.test('watch', async t => {
    const theirs = await described.method('Watch', 'Watch');
    const plain = { created: false, canceled: false, compact_revision: 0, cancel_reason: '', fragment: false };
    const table: readonly { readonly name: string; readonly given: object; readonly expect: object }[] = [
      { name: 'created', given: { watch_id: '-1', created: true }, expect: { ...plain, created: true, events: [] } },
      { name: 'progress', given: { watch_id: '-1' }, expect: { ...plain, events: [] } },
      {
        name: 'canceled',
        given: { canceled: true, compact_revision: '77', cancel_reason: 'gone' },
        expect: { ...plain, canceled: true, compact_revision: 77, cancel_reason: 'gone', events: [] },
      },
      {
        name: 'events',
        given: {
          fragment: true,
          events: [
            { type: 'Put', kv },
            { type: 'Put', kv: bare, prev_kv: kv },
            { type: 'Delete', kv: bare, prev_kv: kv },
          ],
        },
        expect: {
          ...plain,
          fragment: true,
          events: [
            { type: 'Put', kv: ownKv, prev_kv: undefined },
            { type: 'Put', kv: ownBare, prev_kv: ownKv },
            { type: 'Delete', kv: ownBare, prev_kv: ownKv },
          ],
        },
      },
    ];
    for (const { name, given, expect } of table)
      t.same(decodeWatch(theirs.responseSerialize({ header, ...given })), { header: ownHeader, ...expect }, name);
  });

  await t.test('the others', async t => {
    const grant = await described.method('Lease', 'LeaseGrant');
    const status = await described.method('Maintenance', 'Status');
    t.same(methods.leaseGrant.decode(grant.responseSerialize({ header, ID: long, TTL: '9' })), { ID: BigInt(long) });
    t.same(
      methods.status.decode(
        status.responseSerialize({ header, version: '3.5.21', dbSize: '8589934592', isLearner: true }),
      ),
      {
        version: '3.5.21',
        dbSize: 8589934592,
      },
    );
  });
});

t.test('unknown fields of any type are skipped', async t => {
  const known = new MessageWriter(20);
  known.numberField(4, 9);
  const all = [
    [0x81, 0x01, 1, 2, 3, 4, 5, 6, 7, 8],
    [0x85, 0x01, 1, 2, 3, 4],
    [0x82, 0x01, 2, 8, 8],
    [0x80, 0x01, 0x80, 1],
  ];
  const bytes = Buffer.concat([...all.map(each => Buffer.from(each)), known.finish()]);
  t.equal(methods.range.decode(bytes).count, 9);
  t.throws(() => methods.range.decode(Buffer.from([0x83, 0x01])), { message: 'proto: illegal wireType 3' });
  const nested = Buffer.from([0x0a, 0x05, 0x18]);
  t.throws(() => methods.range.decode(nested), { message: 'unexpected EOF' }, 'longer than what it stands in');
});

t.test('numbers', async t => {
  for (const number of numbers) {
    const writer = new MessageWriter(15);
    writer.oneofField(1, number);
    const bytes = writer.finish();
    const reader = new MessageReader(bytes);
    t.equal(reader.next(), 1);
    t.equal(reader.number(), number);
    const other = new MessageWriter(15);
    other.oneofField(1, BigInt(number));
    t.same(other.finish(), bytes);
    t.equal(new MessageReader(bytes.subarray(1)).long(), BigInt(number));
  }
});
