/**
 * Writes the first objects of a new store. They are the same in every server, except for uids and times: roles, definitions of custom resources, and
 * others. The build saves them as they were stored (`tools/prepare.mjs`), for both kinds of storage; an embedded store gets them in one commit. The
 * server writes the objects that differ between servers, and all objects if the build has saved none.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import type { KubeObject } from '../../apimachinery/interface.js';
import { decodeProtobuf, encodeProtobuf } from '../../apiserver/negotiate/protobuf/envelope.js';
import type { Expected } from '../../authn/bootstrap/expected.js';
import { formatTime } from '../../lib/go/time.js';
import { jsonText, parseJson } from '../../lib/json/json.js';
import type { Backend, Outcome } from '../../storage/interface.js';
import type { ServerConfig } from '../config.js';

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

/** Reports whether the build saves an object of this resource. */
export const isPrepared = ({ resource }: Expected): boolean => resources.has(resource.resource);

/** Selects one of the saved sets of objects. */
export interface PreparedVariant {
  readonly profile: ServerConfig['profile'];
  /** The values have the form of those in an etcd. */
  readonly shared: boolean;
}

/** Returns the URL of the file of saved objects, which is next to the bundle. */
function fileOf({ profile, shared }: PreparedVariant): URL {
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

/** A saved object, with its key and the format of its value. */
interface SavedObject {
  readonly key: string;
  readonly isProtobuf: boolean;
  readonly object: KubeObject;
}

const isProtobuf = (value: Uint8Array): boolean => Buffer.from(value.subarray(0, 4)).toString('latin1') === 'k8s\0';

function decode(value: Uint8Array): KubeObject {
  const bytes = Buffer.from(value);
  return isProtobuf(value)
    ? (decodeProtobuf(bytes, { apiVersion: '', kind: '' }) as KubeObject)
    : (parseJson(bytes.toString()) as KubeObject);
}

const encode = (saved: SavedObject): Uint8Array =>
  saved.isProtobuf ? encodeProtobuf({ ...saved.object }) : Buffer.from(jsonText(saved.object));

interface Dated {
  readonly status?: { readonly conditions?: readonly object[] };
}

/** Sets a new uid, and all times of an object to `time`. */
function renew(object: KubeObject, time: string): void {
  const { metadata } = object;
  metadata.uid = randomUUID();
  metadata.creationTimestamp = time;
  for (const entry of metadata.managedFields ?? []) entry.time = time;
  for (const condition of (object as Dated).status?.conditions ?? [])
    if ('lastTransitionTime' in condition) condition.lastTransitionTime = time;
}

/** Saves the first objects of a new server without parts. Called by the build. */
export async function prepare(variant: PreparedVariant, backend: Backend): Promise<void> {
  const lines: string[] = [];
  for (const prefix of prefixes) {
    const { items } = await backend.range(prefix);
    for (const { key, value } of items)
      lines.push(jsonText({ key, isProtobuf: isProtobuf(value), object: decode(value) } satisfies SavedObject));
  }
  await fs.writeFile(fileOf(variant), lines.join('\n'));
}

/**
 * Writes the saved objects to a new store. Returns false when the build has saved none, or when another server has written some of them: those are
 * kept, and the server has to check all objects.
 */
export async function writePrepared(
  variant: PreparedVariant,
  backend: Backend,
  now: Date,
  read = (file: URL): Promise<string> => fs.readFile(file, 'utf8'),
): Promise<boolean> {
  let text: string;
  try {
    text = await read(fileOf(variant));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  const time = formatTime(now);
  const writes: Promise<Outcome<Uint8Array>>[] = [];
  for (const line of text.split('\n')) {
    const saved = parseJson(line) as SavedObject;
    renew(saved.object, time);
    writes.push(backend.put(saved.key, 'absent', encode(saved)));
  }
  return (await Promise.all(writes)).every(({ type }) => type === 'done');
}
