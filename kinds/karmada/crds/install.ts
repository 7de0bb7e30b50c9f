import type { KubeObject } from '../../../apimachinery/interface.js';
import { isConditionTrue } from '../../../apimachinery/meta/conditions.js';
import { isAlreadyExists, isConflict } from '../../../apimachinery/errors/status.js';
import { follow } from '../../../client/watch/follow.js';
import type { Client } from '../../../client/interface.js';
import { karmadaCustomResources } from './custom-resources.js';
import { customResourceDefinitions } from '../../../api/kubernetes/resources.js';

const nameOf = (object: KubeObject): string => object.metadata.name ?? '';

/** Reports whether two values are equal apart from descriptions. `named`: the keys are field names. */
function sameFacts(a: unknown, b: unknown, named = false): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((each, i) => sameFacts(each, b[i]));
  const facts = (value: object): [string, unknown][] =>
    Object.entries(value).filter(([key]) => named || key !== 'description');
  const all = facts(a);
  const others = new Map(facts(b));
  return (
    all.length === others.size &&
    all.every(([key, each]) => others.has(key) && sameFacts(each, others.get(key), key === 'properties' && !named))
  );
}

interface Spec {
  readonly versions: readonly unknown[];
  readonly names: unknown;
}

/** Descriptions are not compared: those of an existing control plane stay. Neither is the conversion: this server converts versions itself. */
function matches(existing: KubeObject, wanted: KubeObject): boolean {
  const theirs = existing['spec'] as Spec;
  const ours = wanted['spec'] as Spec;
  return sameFacts(theirs.versions, ours.versions) && sameFacts(theirs.names, ours.names);
}

const isEstablished = (object: KubeObject): boolean =>
  isConditionTrue(
    (object['status'] as { conditions?: { type: string; status: string }[] } | undefined)?.conditions,
    'Established',
  );

/** Another replica may do the same at the same time. */
async function put(client: Client, wanted: KubeObject, existing: KubeObject | undefined): Promise<void> {
  if (!existing) {
    await client.create(customResourceDefinitions, wanted).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
    return;
  }
  for (let current = existing; !matches(current, wanted);) {
    const { conversion: _, ...ours } = wanted['spec'] as Spec & { conversion: unknown };
    const spec = { ...(current['spec'] as object), ...ours };
    try {
      await client.update(customResourceDefinitions, { ...current, spec });
      return;
    } catch (error) {
      if (!isConflict(error)) throw error;
      current = await client.get(customResourceDefinitions, { name: nameOf(wanted) });
    }
  }
}

interface InstallOptions {
  /** Stops the waiting. */
  readonly signal: AbortSignal;
  /** Called when the definitions cannot be read; the read is retried. */
  readonly onError: (error: unknown) => void;
}

/** Ensures that Karmada's custom resources are defined as this release needs them, and served. Writes nothing if they already are. */
export async function installCustomResources(client: Client, { signal, onError }: InstallOptions): Promise<void> {
  const wanted = karmadaCustomResources();
  const waiting = new Set(wanted.map(nameOf));
  const served = new AbortController();
  let written = false;
  const look = (): void => {
    if (written && waiting.size === 0) served.abort();
  };
  const { objects, synced, done } = follow(customResourceDefinitions, {
    ...{ client, onError },
    signal: AbortSignal.any([signal, served.signal]),
    onChange(name, _, current) {
      if (current && isEstablished(current.object)) waiting.delete(name);
      look();
    },
  });
  try {
    await synced;
    await Promise.all(wanted.map(each => put(client, each, objects.get(nameOf(each))?.object)));
    written = true;
    look();
    await done;
  } finally {
    served.abort();
  }
}
