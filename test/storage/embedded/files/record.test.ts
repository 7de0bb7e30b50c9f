/** Frames of the journal and of snapshots are read as they were written. */
import t from 'tap';
import { frameOverhead } from '../../../../storage/embedded/files/frame.js';
import { MemoryItem } from '../../../../storage/embedded/files/memory-item.js';
import {
  attachedFrame,
  batchFrame,
  endFrame,
  itemsFrame,
  type JournalRecord,
  type Payload,
  readPayload,
  recordBytes,
  segmentFrame,
  snapshotFrame,
} from '../../../../storage/embedded/files/record.js';
import { toRevision } from '../../../../storage/revision.js';

const salt = 7;
const read = (frame: Buffer): Payload => readPayload(frame.subarray(frameOverhead));
const put = (key: string, value: string, revision: number, expiresAt?: number): JournalRecord => ({
  type: 'put',
  item: new MemoryItem(key, Buffer.from(value), toRevision(revision), expiresAt),
});

/** Returns a record with its value as text. */
function shown(record: JournalRecord): unknown {
  if (record.type === 'remove') return record;
  const { key, value, revision, expiresAt } = record.item;
  return { type: 'put', key, value: Buffer.from(value).toString(), revision, expiresAt };
}

t.test('headers and ends', async t => {
  t.same(read(segmentFrame({ type: 'segment', salt, base: toRevision(2 ** 40) })), {
    ...{ type: 'segment', salt, base: 2 ** 40 },
  });
  t.same(read(snapshotFrame({ type: 'snapshot', salt, revision: toRevision(5) })), {
    ...{ type: 'snapshot', salt, revision: 5 },
  });
  t.same(read(endFrame(3, salt)), { type: 'end', count: 3 });
});

t.test('a file that is kept with a backup', async t => {
  const file = { type: 'file', name: 'pki/\u00e4.key', content: Buffer.from([0, 255]) } as const;
  t.same(read(attachedFrame(file, salt)), file);
});

t.test('a batch has its records in order, with and without expiry', async t => {
  const records: readonly JournalRecord[] = [
    put('/a', 'one', 10),
    put('/\u00e4\u20ac', '', 11, 1234.5),
    { type: 'remove', key: '/a', revision: toRevision(12) },
  ];
  const scratch = Buffer.alloc(4096, 0xff);
  const batch = read(batchFrame(records, { first: toRevision(10), time: 99 }, salt, scratch));
  if (batch.type !== 'batch') return t.fail(`a ${batch.type} was read`);
  t.same([batch.time, batch.first], [99, 10]);
  t.same(batch.records.map(shown), records.map(shown));
  scratch.fill(0);
  t.same(batch.records.map(shown), records.map(shown), 'values are copies');
});

t.test('items of a snapshot', async t => {
  const items = [1, 2].map(n => new MemoryItem(`/k${n}`, Buffer.from(`v${n}`), toRevision(n), undefined));
  const found = read(itemsFrame(items, salt));
  if (found.type !== 'items') return t.fail(`${found.type} was read`);
  t.same(
    found.items.map(({ key, value, revision }) => [key, Buffer.from(value).toString(), revision]),
    [
      ['/k1', 'v1', 1],
      ['/k2', 'v2', 2],
    ],
  );
});

t.test('the bytes of a record are not more than its bound', async t => {
  for (const record of [
    put('/\u20ac', 'x'.repeat(100), 1, 5),
    { type: 'remove', key: '/a', revision: toRevision(2) } as const,
  ]) {
    const frame = batchFrame([record], { first: toRevision(1), time: 0 }, salt, Buffer.alloc(0));
    t.ok(frame.length <= frameOverhead + 1 + 8 + 8 + 4 + recordBytes(record));
  }
});

t.test('payloads of other programs', async t => {
  t.throws(() => readPayload(Buffer.from([99])), { name: 'RangeError', message: 'a frame of unknown kind 99' });
  const cut = batchFrame([put('/a', 'value', 1)], { first: toRevision(1), time: 0 }, salt, Buffer.alloc(0));
  t.throws(
    () => read(cut.subarray(0, cut.length - 1)),
    { name: 'RangeError' },
    'a record that is longer than its frame',
  );
});
