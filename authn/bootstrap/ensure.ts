/** Creates what a server must have and keeps it up, at every start. Several servers over one store may do so at the same time. */
import type { KubeObject } from '../../apimachinery/interface.js';
import { isAlreadyExists, isConflict, isNotFound } from '../../apimachinery/errors/status.js';
import { found } from '../../client/found.js';
import type { Client } from '../../client/interface.js';
import type { Expected } from './expected.js';
import { type BootstrapOptions, standingObjects } from './objects.js';

const defaultManager = 'kube-apiserver';
const attempts = 5;

const keyOf = ({ metadata: { namespace = '', name = '' } }: KubeObject): { namespace: string; name: string } => ({
  namespace,
  name,
});
const textOf = (object: KubeObject): string => `${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`;

const read = (client: Client, { resource, object }: Expected): Promise<KubeObject | undefined> =>
  found(client.get(resource, keyOf(object)));

/** One step towards what is expected; the object as it then stands. */
async function step(client: Client, wanted: Expected, known: KubeObject | undefined): Promise<KubeObject> {
  const { resource, object, reconcile, fieldManager = defaultManager } = wanted;
  if (known === undefined) return client.create(resource, object, { fieldManager });
  const change = reconcile(known, object);
  if (change === undefined) return known;
  if (change.type === 'update') return client.update(resource, change.object, { fieldManager });
  const { uid } = known.metadata;
  await client.delete(resource, keyOf(object), uid === undefined ? {} : { preconditions: { uid } });
  return client.create(resource, object, { fieldManager });
}

const hasConditions = (object: KubeObject): boolean => {
  const { conditions } = (object['status'] as { conditions?: readonly unknown[] } | undefined) ?? {};
  return (conditions ?? []).length > 0;
};

/** Somebody else was there first: look again. */
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

/** So many objects of one place are listed, fewer are asked for one by one: their neighbours may be many and are not ours. */
const worthListing = 8;

const placeOf = ({ resource, object }: Expected): string => JSON.stringify([resource, object.metadata.namespace]);

/** What there is of objects of one resource and namespace, by key. Most starts find everything in place. */
async function existing(client: Client, wanted: readonly Expected[]): Promise<ReadonlyMap<string, KubeObject>> {
  const [first] = wanted;
  if (first === undefined) return new Map();
  if (wanted.length < worthListing) {
    const objects = await Promise.all(wanted.map(one => read(client, one)));
    return new Map(objects.flatMap(object => (object ? [[textOf(object), object]] : [])));
  }
  const { namespace } = first.object.metadata;
  const { items } = await client.list(first.resource, namespace === undefined ? {} : { namespace });
  return new Map(items.map(object => [textOf(object), object]));
}

/** All of one group at once: what is missing is written together. `onDone`: hears of each that is there. */
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
      await ensure(client, wanted, found.get(placeOf(wanted))?.get(textOf(wanted.object)));
      onDone?.(wanted);
    }),
  );
}

export interface StandingOptions {
  /** Milliseconds between two looks. */
  readonly every: number;
  readonly signal: AbortSignal;
  /** What could not be put back is tried again at the next look. */
  readonly onError: (error: unknown) => void;
}

/** Looks, until the signal, after what a server must have, and puts back what is gone. */
export function keepStanding(
  client: Client,
  options: () => Promise<BootstrapOptions>,
  { every, signal, onError }: StandingOptions,
): void {
  let looking = false;
  const look = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    try {
      for (const group of standingObjects(await options())) await ensureAll(client, group);
    } catch (error) {
      if (!signal.aborted) onError(error);
    } finally {
      looking = false;
    }
  };
  const timer = setInterval(() => void look(), every).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
