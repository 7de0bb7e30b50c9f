/** Segments of the log are read while another process writes to them. */
import fs from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { fileName } from '../../../../storage/embedded/files/folder.js';
import { MemoryItem } from '../../../../storage/embedded/files/memory-item.js';
import { batchFrame, segmentFrame } from '../../../../storage/embedded/files/record.js';
import { firstRevision, openSegment, readSegment, type Segment } from '../../../../storage/embedded/files/segment.js';
import { toRevision } from '../../../../storage/revision.js';
import { temporaryFolder } from '../../folder.js';

const salt = 7;
const header = segmentFrame({ type: 'segment', salt, base: firstRevision });

/** Returns the frame of a batch with one record. */
function batch(revision: number): Buffer {
  const item = new MemoryItem(`/k/${revision}`, Buffer.from('value'), toRevision(revision));
  const batchHeader = { first: toRevision(revision), time: 1 };
  return Buffer.from(batchFrame([{ type: 'put', item }], batchHeader, salt, Buffer.alloc(1024)));
}

const batches = [2, 3, 4].map(batch);
const [first = Buffer.alloc(0), ...later] = batches;
/** Where the second batch begins. */
const end = header.length + first.length;

/** Writes a segment with these batches, and room for more behind them. */
async function segmentWith(t: Test, written: readonly Buffer[]): Promise<Segment> {
  const directory = await temporaryFolder(t);
  const file = path.join(directory, fileName('log', 1));
  fs.writeFileSync(file, Buffer.concat([header, ...written, Buffer.alloc(3 << 20)]));
  const segment = await openSegment(directory, 1);
  if (segment === 'unused') throw new Error('the segment has no header');
  return segment;
}

function write(file: string, at: number, bytes: Buffer): void {
  const opened = fs.openSync(file, 'r+');
  fs.writeSync(opened, bytes, 0, bytes.length, at);
  fs.closeSync(opened);
}

t.test('batches that are written after the room behind the last one was read', async t => {
  const segment = await segmentWith(t, [first]);
  const read = await readSegment(segment, undefined, () => write(segment.file, end, Buffer.concat(later)));
  t.strictSame(read, { revision: 2, bytes: end, torn: 0 }, 'the segment ends before them');
  const again = await readSegment(segment, undefined, () => undefined);
  t.strictSame(again, { revision: 4, bytes: header.length + Buffer.concat(batches).length, torn: 0 });
});

t.test('a torn end has the bytes up to the last one that is not zero', async t => {
  const segment = await segmentWith(t, [first]);
  write(segment.file, end + (2 << 20), Buffer.from('x'));
  const read = await readSegment(segment, undefined, () => undefined);
  t.strictSame(read, { revision: 2, bytes: end + (2 << 20) + 1, torn: (2 << 20) + 1 });
});

t.test('a damaged batch before others', async t => {
  const segment = await segmentWith(t, batches);
  write(segment.file, end + 20, Buffer.from([0xff, 0xff]));
  await t.rejects(
    readSegment(segment, undefined, () => undefined),
    { code: 'corrupt', message: `${segment.file}: damaged at byte ${end}, after revision 2` },
  );
});
