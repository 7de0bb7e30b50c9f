/**
 * What every new server writes first is always the same, but for uids and times: roles, definitions of custom resources, and the like. The
 * build keeps what becomes of it in a store (`tools/prepare.mjs`), and a new embedded store begins with that, in one commit. What differs
 * between servers is written as ever; so is everything where the build kept nothing, or the server wants something else than it did then.
 */
import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import { bootstrapObjects } from '../../authn/bootstrap/objects.js';
import type { Expected } from '../../authn/bootstrap/expected.js';
import { formatTime } from '../../openapi/meta/time.js';
import { karmadaCustomResources } from '../../registry/kinds/karmada/crds/custom-resources.js';
import type { Backend } from '../../storage/interface.js';
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
const timeHere = '"(time)"';
const uidHere = '"uid":"(uid)"';

export const isPrepared = ({ resource }: Expected): boolean => resources.has(resource.resource);

/** What a server of this profile wants to be there, as text. */
function wantedBy(profile: ServerConfig['profile'], now: Date): string {
  const karmada = { namespace: 'karmada-system', server: { url: '', authority: '' } };
  const objects = bootstrapObjects({ now, ...(profile === 'karmada' && { karmada }) });
  const definitions = profile === 'karmada' ? karmadaCustomResources() : [];
  return JSON.stringify([objects.flat().filter(isPrepared), definitions]).replace(times, timeHere);
}

/** Where the first objects of a server of this profile are: named by what it wants. */
function fileOf(profile: ServerConfig['profile'], now: Date): URL {
  const digest = createHash('sha256').update(wantedBy(profile, now)).digest('hex').slice(0, 32);
  return new URL(`first-${digest}.objects`, import.meta.resolve('#dist/bundle/programs.cjs'));
}

const prefixes: readonly string[] = [
  '/registry/apiextensions.k8s.io/customresourcedefinitions/',
  ...[...resources].map(
    resource => `/registry/${resource === 'apiservices' ? 'apiregistration.k8s.io/' : ''}${resource}/`,
  ),
];

/** For the build: keeps what a new server without parts has written. */
export async function prepare(profile: ServerConfig['profile'], backend: Backend): Promise<void> {
  const lines: string[] = [];
  for (const prefix of prefixes) {
    const { items } = await backend.range(prefix);
    for (const { key, value } of items) {
      const text = Buffer.from(value).toString();
      lines.push(key, text.replace(/"uid":"[\w-]{36}"/, uidHere).replace(times, timeHere));
    }
  }
  await fs.writeFile(fileOf(profile, new Date()), lines.join('\n'));
}

/** Begins a new store. False: there is nothing to begin with. */
export async function writePrepared(
  profile: ServerConfig['profile'],
  backend: Backend,
  now: Date,
  read = (file: URL): Promise<string> => fs.readFile(file, 'utf8'),
): Promise<boolean> {
  let text: string;
  try {
    text = await read(fileOf(profile, now));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false; // the long way
    throw error;
  }
  const lines = text.replaceAll(timeHere, JSON.stringify(formatTime(now))).split('\n');
  const writes: Promise<unknown>[] = [];
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const value = (lines[i + 1] ?? '').replace(uidHere, `"uid":"${randomUUID()}"`);
    writes.push(backend.put(lines[i] ?? '', 'absent', Buffer.from(value)));
  }
  await Promise.all(writes);
  return true;
}
