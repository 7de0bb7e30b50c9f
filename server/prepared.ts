/**
 * The first objects of every new server are the same, except for uids and times: roles, definitions of custom resources, and the like. The build keeps
 * them as they were stored (`tools/prepare.mjs`), for either kind of storage, and a new store begins with them: an embedded one in one commit. Objects
 * that differ between servers are written by the server; so is everything where the build kept nothing.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import type { KubeObject } from '../apimachinery/interface.js';
import { decodeProtobuf, encodeProtobuf } from '../apiserver/negotiate/protobuf/envelope.js';
import type { Expected } from '../authn/bootstrap/expected.js';
import { formatTime } from '../lib/go/time.js';
import { jsonText, parseJson } from '../lib/json/json.js';
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

/** An object as it is stored under a key. */
interface Kept {
  readonly key: string;
  readonly isProtobuf: boolean;
  readonly object: KubeObject;
}

const isProtobuf = (value: Uint8Array): boolean => Buffer.from(value.subarray(0, 4)).toString('latin1') === 'k8s\0';

function decode(value: Uint8Array): KubeObject {
  const bytes = Buffer.from(value);
  return isProtobuf(value)
    ? (decodeProtobuf(bytes, { apiVersion: '', kind: '' }) as unknown as KubeObject)
    : (parseJson(bytes.toString()) as KubeObject);
}

const encode = (kept: Kept): Uint8Array =>
  kept.isProtobuf ? encodeProtobuf({ ...kept.object }) : Buffer.from(jsonText(kept.object));

interface Dated {
  readonly status?: { readonly conditions?: readonly object[] };
}

/** Gives an object the uid and the times of one that was created now. */
function renew(object: KubeObject, time: string): void {
  const { metadata } = object;
  metadata.uid = randomUUID();
  metadata.creationTimestamp = time;
  for (const entry of metadata.managedFields ?? []) entry.time = time;
  for (const condition of (object as Dated).status?.conditions ?? [])
    if ('lastTransitionTime' in condition) condition.lastTransitionTime = time;
}

/** For the build: keeps the first objects of a new server without parts. */
export async function prepare(first: First, backend: Backend): Promise<void> {
  const lines: string[] = [];
  for (const prefix of prefixes) {
    const { items } = await backend.range(prefix);
    for (const { key, value } of items)
      lines.push(jsonText({ key, isProtobuf: isProtobuf(value), object: decode(value) } satisfies Kept));
  }
  await fs.writeFile(fileOf(first), lines.join('\n'));
}

/**
 * Begins a new store. Returns false when the build kept nothing, or when another server has begun with some of the objects: those stay as they are, and
 * the server has to look at all of them.
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
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  const time = formatTime(now);
  const writes: Promise<Outcome<Uint8Array>>[] = [];
  for (const line of text.split('\n')) {
    const kept = parseJson(line) as Kept;
    renew(kept.object, time);
    writes.push(backend.put(kept.key, 'absent', encode(kept)));
  }
  return (await Promise.all(writes)).every(({ type }) => type === 'done');
}
