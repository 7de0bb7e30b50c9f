/**
 * A process that writes until it is killed: `node writer.js '{"type":"embedded","directory":...}' NAME`. Prints `ready`, then a line per
 * acknowledged write: `ack KEY REVISION VALUE`, or `failed CODE`, and then `health CODE`.
 */
import fs from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { StorageError } from '../../../storage/error.js';
import type { Backend, Revision } from '../../../storage/interface.js';

export type Where =
  | {
      readonly type: 'embedded';
      readonly directory: string;
      readonly snapshotBytes: number;
      readonly historyBytes: number;
    }
  | { readonly type: 'etcd'; readonly endpoint: string };

const where = JSON.parse(process.argv[2] ?? '') as Where;
const name = process.argv[3] ?? '';

/** Opens the store with dynamic imports, since the process is started often. */
async function open(): Promise<Backend> {
  if (where.type === 'embedded') {
    const { openEmbedded } = await import('../../../storage/embedded/open-embedded.js');
    return openEmbedded(where);
  }
  const { openEtcd } = await import('../../../storage/etcd/open-etcd.js');
  return openEtcd({ endpoints: [where.endpoint], compactionIntervalMs: 0, callMs: 2000 });
}

/** Prints a line synchronously, so that a write counts as acknowledged only if its line is complete. Blocks if the reader is slow. */
function say(line: string): void {
  const bytes = Buffer.from(`${line}\n`);
  for (let at = 0; at < bytes.length;) {
    try {
      at += fs.writeSync(1, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

const codeOf = (error: unknown): string => (error instanceof StorageError ? error.code : String(error));

async function write(store: Backend, key: string, expect: Revision | 'absent', value: string): Promise<boolean> {
  try {
    const outcome = await store.put(key, expect, Buffer.from(value));
    if (outcome.type === 'done') say(`ack ${key} ${outcome.revision} ${value}`);
    return outcome.type === 'done';
  } catch (error) {
    say(`failed ${codeOf(error)}`);
    say(`health ${await store.health().then(() => 'good', codeOf)}`);
    await pause(10);
    return false;
  }
}

async function writer(store: Backend, lane: number): Promise<never> {
  const shared = `/crash/shared/${lane}`;
  for (let i = 0; ; i++) {
    await write(store, `/crash/${name}/${lane}/${i}`, 'absent', `${name}.${lane}.${i}.${'x'.repeat((i * 37) % 3000)}`);
    const standing = await store.get(shared).catch(() => undefined);
    await write(store, shared, standing?.revision ?? 'absent', `${name}.${lane}.${i}`);
  }
}

const store = await open();
say('ready');
await Promise.all([0, 1, 2, 3].map(lane => writer(store, lane)));
