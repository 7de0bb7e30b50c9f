import fs from 'node:fs';

/** Resident memory of a process by origin, in bytes. */
export interface Mappings {
  readonly residentBytes: number;
  /** Peak of the resident memory. */
  readonly peakBytes: number;
  /** Memory of the C allocator: its heap for the main thread, and the arenas of the others. */
  readonly allocatorBytes: number;
  readonly arenas: number;
  /** Other memory without a file: V8's heaps, stacks, and large allocations. */
  readonly anonymousBytes: number;
  /** Programs and libraries. */
  readonly fileBytes: number;
}

interface Mapping {
  readonly start: number;
  readonly bytes: number;
  readonly access: string;
  readonly name: string;
  resident: number;
}

/** Alignment and address space of one arena of glibc. */
const arenaBytes = 64 << 20;
const head = /^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \d+\s*(.*)$/;

function mappingsOf(smaps: string): Mapping[] {
  const found: Mapping[] = [];
  for (const line of smaps.split('\n')) {
    const [, from, to, access = '', name = ''] = head.exec(line) ?? [];
    const last = found.at(-1);
    const resident = /^Rss:\s+(\d+) kB$/.exec(line)?.[1];
    if (from !== undefined && to !== undefined) {
      const start = parseInt(from, 16);
      found.push({ start, bytes: parseInt(to, 16) - start, access, name, resident: 0 });
    } else if (last && resident !== undefined) last.resident = Number(resident) * 1024;
  }
  return found;
}

/** Reports whether a mapping is an arena: its used part is writable, the rest has no access. */
function isArena(mapping: Mapping, next: Mapping | undefined): boolean {
  if (mapping.name !== '' || mapping.start % arenaBytes !== 0 || !mapping.access.startsWith('rw')) return false;
  const rest = next?.access.startsWith('---') && next.start === mapping.start + mapping.bytes ? next.bytes : 0;
  return mapping.bytes + rest === arenaBytes;
}

/** Reads /proc of a process on this machine. Throws if it has ended. */
export function readMappings(pid: number): Mappings {
  const all = mappingsOf(fs.readFileSync(`/proc/${pid}/smaps`, 'utf8'));
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  const arenas = all.filter((mapping, i) => isArena(mapping, all[i + 1]));
  const sum = (some: readonly Mapping[]): number => some.reduce((bytes, { resident }) => bytes + resident, 0);
  const allocatorBytes = sum(arenas) + sum(all.filter(({ name }) => name === '[heap]'));
  const fileBytes = sum(all.filter(({ name }) => name.startsWith('/')));
  const residentBytes = sum(all);
  const anonymousBytes = residentBytes - allocatorBytes - fileBytes;
  return { residentBytes, peakBytes: peak, allocatorBytes, arenas: arenas.length, anonymousBytes, fileBytes };
}
