/** Creates the objects that a server must have, and updates them, at every start. Several servers on one store may do so at the same time. */
import type { KubeObject } from '../../apimachinery/interface.js';
import { isAlreadyExists, isConflict, isNotFound } from '../../apimachinery/errors/status.js';
import { find } from '../../client/find.js';
import type { Client } from '../../client/interface.js';
import { keyOf, objectKey } from '../../client/key.js';
import type { Expected } from './expected.js';
import { type BootstrapOptions, requiredObjects } from './objects.js';

const defaultManager = 'kube-apiserver';
const attempts = 5;

const read = (client: Client, { resource, object }: Expected): Promise<KubeObject | undefined> =>
  find(client, resource, objectKey(object));

/** Takes one step towards the expected object. Returns the object as it is then. */
async function step(client: Client, wanted: Expected, known: KubeObject | undefined): Promise<KubeObject> {
  const { resource, object, reconcile, fieldManager = defaultManager } = wanted;
  if (known === undefined) return client.create(resource, object, { fieldManager });
  const change = await reconcile(known, object);
  if (change === undefined) return known;
  if (change.type === 'update') return client.update(resource, change.object, { fieldManager });
  const { uid } = known.metadata;
  await client.delete(resource, objectKey(object), uid === undefined ? {} : { preconditions: { uid } });
  return client.create(resource, object, { fieldManager });
}

const hasConditions = (object: KubeObject): boolean => {
  const { conditions } = (object['status'] as { conditions?: readonly unknown[] } | undefined) ?? {};
  return (conditions ?? []).length > 0;
};

/** Returns whether another server was faster, so that the object has to be read again. */
const overtaken = (error: unknown): boolean => isAlreadyExists(error) || isConflict(error) || isNotFound(error);

async function ensure(client: Client, wanted: Expected, known: KubeObject | undefined): Promise<void> {
  let current = known;
  for (let attempt = 1; ; attempt++) {
    try {
      current = await step(client, wanted, current);
      if (wanted.status !== undefined && !hasConditions(current)) {
        const draft = { ...current, status: wanted.status };
        await client.update(wanted.resource, draft, { subresource: 'status', fieldManager: defaultManager });
      }
      return;
    } catch (error) {
      if (attempt === attempts || !overtaken(error)) throw error;
      current = await read(client, wanted);
    }
  }
}

/** Objects of one resource and namespace from which on they are listed. Fewer are read one by one, since the namespace may have many others. */
const listThreshold = 8;

const placeOf = ({ resource, object }: Expected): string => JSON.stringify([resource, object.metadata.namespace]);

/** Returns the existing objects of one resource and namespace, by key. Most starts find all of them. */
async function existing(client: Client, wanted: readonly Expected[]): Promise<ReadonlyMap<string, KubeObject>> {
  const [first] = wanted;
  if (first === undefined) return new Map();
  if (wanted.length < listThreshold) {
    const objects = await Promise.all(wanted.map(one => read(client, one)));
    return new Map(objects.flatMap(object => (object ? [[keyOf(object), object]] : [])));
  }
  const { namespace } = first.object.metadata;
  const { items } = await client.list(first.resource, namespace === undefined ? {} : { namespace });
  return new Map(items.map(object => [keyOf(object), object]));
}

/** Ensures all objects of a group concurrently. `onDone` is called for each object once it exists. */
export async function ensureAll(
  client: Client,
  group: readonly Expected[],
  onDone?: (wanted: Expected) => void,
): Promise<void> {
  const places = new Map<string, Expected[]>();
  for (const wanted of group) places.set(placeOf(wanted), [...(places.get(placeOf(wanted)) ?? []), wanted]);
  const found = new Map(
    await Promise.all([...places].map(async ([place, wanted]) => [place, await existing(client, wanted)] as const)),
  );
  await Promise.all(
    group.map(async wanted => {
      await ensure(client, wanted, found.get(placeOf(wanted))?.get(keyOf(wanted.object)));
      onDone?.(wanted);
    }),
  );
}

interface MaintainOptions {
  /** Milliseconds between two checks. */
  readonly every: number;
  readonly signal: AbortSignal;
  /** Called with the error of a check; the next check tries again. */
  readonly onError: (error: unknown) => void;
}

/** Checks the objects that a server must have at an interval, until the signal aborts, and restores missing ones. */
export function maintainRequiredObjects(
  client: Client,
  options: () => Promise<BootstrapOptions>,
  { every, signal, onError }: MaintainOptions,
): void {
  let checking = false;
  const check = async (): Promise<void> => {
    if (checking) return;
    checking = true;
    try {
      for (const group of requiredObjects(await options())) await ensureAll(client, group);
    } catch (error) {
      if (!signal.aborted) onError(error);
    } finally {
      checking = false;
    }
  };
  const timer = setInterval(() => void check(), every).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
