import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { StorageError } from '../../error.js';
import type { Revision } from '../../interface.js';
import { KeyMap } from '../../event-log/key-map.js';
import { fileName, syncFolder } from './folder.js';
import { readFrames } from './frame.js';
import { type MemoryValue, sizeOfItem } from './memory-item.js';
import { type Attached, attachedFrame, endFrame, itemsFrame, readPayload, snapshotFrame } from './record.js';

/** Bytes that are put together at a time, between two turns of the event loop. */
const chunkBytes = 256 * 1024;

/** Writes the state that segment `sequence` starts with. `items` must not change meanwhile. Rejects with the signal's reason when it aborts. */
export function writeSnapshot(
  directory: string,
  sequence: number,
  revision: Revision,
  items: Iterable<MemoryValue>,
  signal: AbortSignal,
): Promise<void> {
  return writeState(path.join(directory, fileName('snapshot', sequence)), { revision, items, files: [] }, signal);
}

export interface State {
  readonly revision: Revision;
  readonly items: Iterable<MemoryValue>;
  /** Other files that are kept with it (backups). */
  readonly files: readonly Attached[];
}

/** Writes the file under a temporary name first, so that it appears as a whole or not at all; readable by its owner only. */
export async function writeState(file: string, state: State, signal?: AbortSignal): Promise<void> {
  const { revision, items, files } = state;
  const salt = randomBytes(4).readUInt32LE();
  const draft = `${file}.tmp`;
  // A draft of another process may exist, with another mode.
  await fs.rm(draft, { force: true });
  const handle = await fs.open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(snapshotFrame({ type: 'snapshot', salt, revision }));
    for (const attached of files) await handle.writeFile(attachedFrame(attached, salt));
    let count = 0;
    let chunk: MemoryValue[] = [];
    let bytes = 0;
    for (const item of items) {
      chunk.push(item);
      count++;
      bytes += item.key.length + sizeOfItem(item);
      if (bytes < chunkBytes) continue;
      signal?.throwIfAborted();
      await handle.writeFile(itemsFrame(chunk, salt));
      chunk = [];
      bytes = 0;
    }
    if (chunk.length > 0) await handle.writeFile(itemsFrame(chunk, salt));
    await handle.writeFile(endFrame(count, salt));
    await handle.sync();
    signal?.throwIfAborted();
    await fs.rename(draft, file);
  } catch (error) {
    await fs.rm(draft, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  await syncFolder(path.dirname(file));
}

/** Reads a snapshot. Throws 'corrupt' when anything is wrong with it: it was complete once. */
export function readSnapshot(directory: string, sequence: number): Promise<ReadState> {
  return readState(path.join(directory, fileName('snapshot', sequence)));
}

interface ReadState {
  readonly revision: Revision;
  readonly items: KeyMap<MemoryValue>;
  readonly files: readonly Attached[];
}

/** Reads a state. Throws 'corrupt' as `readSnapshot`, and the system's error when the file cannot be read. */
export async function readState(file: string): Promise<ReadState> {
  const corrupt = (what: string): StorageError => new StorageError('corrupt', `${file}: ${what}`);
  const items = new KeyMap<MemoryValue>();
  const files: Attached[] = [];
  let revision: Revision | undefined;
  const handle = await fs.open(file, 'r');
  try {
    for await (const bytes of readFrames(handle, first => saltOf(first))) {
      if (bytes === undefined) throw corrupt('a frame is damaged');
      const payload = readPayload(bytes);
      if (payload.type === 'snapshot') revision = payload.revision;
      else if (payload.type === 'file') files.push(payload);
      else if (payload.type === 'items') for (const item of payload.items) items.set(item.key, item);
      else if (payload.type === 'end' && revision !== undefined) {
        if (payload.count !== items.size) throw corrupt(`it holds ${items.size} of ${payload.count} items`);
        return { revision, items, files };
      } else throw corrupt(`a frame of the kind ${payload.type} stands in it`);
    }
  } finally {
    await handle.close();
  }
  throw corrupt('its end is missing');
}

function saltOf(first: Buffer): number {
  const header = readPayload(first);
  return header.type === 'snapshot' ? header.salt : 0;
}

/** Returns the revision of a snapshot from its first frame; undefined when the frame is damaged. */
export async function snapshotRevision(directory: string, sequence: number): Promise<Revision | undefined> {
  const handle = await fs.open(path.join(directory, fileName('snapshot', sequence)), 'r');
  try {
    for await (const bytes of readFrames(handle, () => 0)) {
      const header = bytes === undefined ? undefined : readPayload(bytes);
      return header?.type === 'snapshot' ? header.revision : undefined;
    }
    return undefined;
  } finally {
    await handle.close();
  }
}
