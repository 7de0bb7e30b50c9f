/** `flagship check`: searches the embedded storage of a data directory for damage, and repairs it where possible. */
import fs from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { restoreState } from '../storage/embedded/backup.js';
import { inspect, type Inspection } from '../storage/embedded/inspect.js';
import { dataDirectory, directoryOf, storageOf } from './flags/data-directory.js';
import { explain } from './explain-failure.js';
import { describeFlags, type FlagTable, parseFlags, UsageError } from './flags/flags.js';
import { ifExists } from './if-exists.js';

const flags = {
  'data-dir': dataDirectory,
  repair: { type: 'boolean', help: 'Restore everything that can be read; the damaged storage is moved aside' },
  help: { type: 'boolean', short: 'h', help: 'Show this text' },
} as const satisfies FlagTable;

const help = `Checks the embedded storage of a data directory for damage, also while Flagship runs. The exit status is 1 if there is any.

Usage:
  flagship check [flags]

Flags:
${describeFlags(flags)}
`;

/** Returns the stores of the control plane and of simulated members. */
async function storesOf(directory: string): Promise<string[]> {
  const members = path.join(directory, 'members');
  const names = (await ifExists(fs.readdir(members))) ?? [];
  const found = [];
  for (const store of [storageOf(directory), ...names.sort().map(name => storageOf(path.join(members, name)))])
    if ((await ifExists(fs.stat(store)))?.isDirectory() === true) found.push(store);
  return found;
}

/** Returns keys whose values are neither JSON nor protobuf: written completely, but not by an API server. */
function foreignKeys({ state }: Inspection): string[] {
  const found: string[] = [];
  for (const { key, value } of state?.items.values() ?? []) {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    if (bytes.toString('latin1', 0, 4) === 'k8s\0') continue;
    try {
      JSON.parse(bytes.toString());
    } catch {
      found.push(key);
    }
  }
  return found;
}

function verdict({ findings, state }: Inspection, unreadable: readonly string[]): string {
  const damaged = findings.some(finding => finding.damaged);
  if (state === undefined) return 'damaged: no state can be read; restore a backup';
  const what = `${state.items.size} objects at revision ${state.revision}`;
  if (!state.complete)
    return `damaged: only the state up to revision ${state.revision} can be read (${state.items.size} objects); --repair restores it, a newer backup may lose less`;
  if (unreadable.length > 0) return `damaged: ${unreadable.length} of ${what} cannot be read; delete them`;
  if (damaged)
    return `damaged: the current state is intact (${what}), only its history is not; --repair loses only the history`;
  return `ok: ${what}`;
}

/** Prints the findings about a store. Returns them with the result. */
async function checkStore(store: string, label: string): Promise<Inspection & { readonly sound: boolean }> {
  const inspection = await inspect(store, { thorough: true });
  const unreadable = foreignKeys(inspection);
  const lines = [
    `${label}:`,
    ...inspection.findings.map(({ file, text, damaged }) => `  ${file}: ${damaged ? 'DAMAGED: ' : ''}${text}`),
    ...unreadable.map(key => `  ${key}: DAMAGED: neither JSON nor protobuf`),
    `  ${verdict(inspection, unreadable)}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  const sound = !inspection.findings.some(({ damaged }) => damaged) && unreadable.length === 0;
  return { ...inspection, sound };
}

async function repair(store: string, { state }: Inspection): Promise<boolean> {
  if (state === undefined) return false;
  const { revision, items } = state;
  const options = { now: Date.now(), replace: true };
  const { movedTo } = await restoreState(store, { revision, items: items.values() }, options);
  process.stdout.write(`  repaired; the damaged storage is now in ${movedTo}\n`);
  return true;
}

/** Returns the exit status: 0 when all stores are sound, or have been repaired. */
export async function checkStores(args: readonly string[]): Promise<number> {
  const { values, rest } = parseFlags(flags, args);
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  if (rest.length > 0) throw new UsageError(`unknown argument: ${rest[0]}`);
  const directory = directoryOf(values);
  const stores = await storesOf(directory).catch((error: unknown) => {
    throw explain(error, { directory, bind: '' });
  });
  if (stores.length === 0) throw new UsageError(`${directory} has no embedded storage`);
  let sound = true;
  for (const store of stores) {
    try {
      const found = await checkStore(store, path.relative(directory, store));
      const isSound =
        found.sound || (values.repair && found.findings.some(f => f.damaged) && (await repair(store, found)));
      sound &&= isSound;
    } catch (error) {
      throw explain(error, { directory, bind: '' });
    }
  }
  return sound ? 0 : 1;
}
