/**
 * What every new server writes first is always the same, but for uids and times: roles, definitions of custom resources, and the like. The
 * build keeps what becomes of it in a store (`tools/prepare.mjs`), in the forms of either kind of storage, and a new store begins with that: an
 * embedded one in one commit. What differs between servers is written as ever; so is everything where the build kept nothing.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import type { Expected } from '../authn/bootstrap/expected.js';
import { formatTime } from '../lib/go/time.js';
import type { Backend, Outcome } from '../storage/interface.js';
import type { ServerConfig } from './config.js';

/** Resources whose first objects are the same in all servers. */
const resources: ReadonlySet<string> = new Set([
  'apiservices',
  'clusterrolebindings',
  'clusterroles',
  'flowschemas',
  'namespaces',
  'prioritylevelconfigurations',
  'priorityclasses',
  'rolebindings',
  'roles',
]);

const times = /"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/g;
const uids = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;
/** What stands where uid and time will stand: as long as these are, also in protobuf. */
const uidHere = '00000000-0000-0000-0000-000000000000';
const timeHere = new Date('2001-09-09T01:46:40Z');

/** The seconds of a time, as they stand in protobuf: in five bytes from 1978 to 3058. */
function timestamp(time: Date): string {
  const bytes = [8];
  let rest = Math.floor(time.getTime() / 1000);
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]).toString('latin1');
}

const timeText = (time: Date): string => JSON.stringify(formatTime(time));

export const isPrepared = ({ resource }: Expected): boolean => resources.has(resource.resource);

export interface First {
  readonly profile: ServerConfig['profile'];
  /** The values are those of an etcd. */
  readonly shared: boolean;
}

/** Beside the bundle, which the build makes of the same sources before it keeps them. */
function fileOf({ profile, shared }: First): URL {
  return new URL(
    `first-${profile}${shared ? '-shared' : ''}.objects`,
    import.meta.resolve('#dist/bundle/programs.cjs'),
  );
}

const prefixes: readonly string[] = [
  '/registry/apiextensions.k8s.io/customresourcedefinitions/',
  ...[...resources].map(
    resource => `/registry/${resource === 'apiservices' ? 'apiregistration.k8s.io/' : ''}${resource}/`,
  ),
];

/** For the build: keeps what a new server without parts has written since `began`. */
export async function prepare(first: First, backend: Backend, began: Date): Promise<void> {
  const lines: string[] = [];
  const now = new Date();
  for (const prefix of prefixes) {
    const { items } = await backend.range(prefix);
    for (const { key, value } of items) {
      let text = Buffer.from(value).toString('latin1').replace(uids, uidHere).replace(times, timeText(timeHere));
      for (let time = began.getTime(); time < now.getTime() + 1000; time += 1000)
        text = text.replaceAll(timestamp(new Date(time)), timestamp(timeHere));
      lines.push(key, Buffer.from(text, 'latin1').toString('base64'));
    }
  }
  await fs.writeFile(fileOf(first), lines.join('\n'));
}

/**
 * Begins a new store. False: there is nothing to begin with, or somebody else has begun with something; what is there then stays, and the rest has
 * to be looked at.
 */
export async function writePrepared(
  first: First,
  backend: Backend,
  now: Date,
  read = (file: URL): Promise<string> => fs.readFile(file, 'utf8'),
): Promise<boolean> {
  let text: string;
  try {
    text = await read(fileOf(first));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false; // the long way
    throw error;
  }
  const lines = text.split('\n');
  const writes: Promise<Outcome<Uint8Array>>[] = [];
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const value = Buffer.from(lines[i + 1] ?? '', 'base64')
      .toString('latin1')
      .replace(uidHere, randomUUID())
      .replaceAll(timeText(timeHere), timeText(now))
      .replaceAll(timestamp(timeHere), timestamp(now));
    writes.push(backend.put(lines[i] ?? '', 'absent', Buffer.from(value, 'latin1')));
  }
  return (await Promise.all(writes)).every(({ type }) => type === 'done');
}
