/** Updates the status of definitions, and finishes the deletion of terminating ones. */
import { inTimeSlices } from '../../lib/time-slice.js';
import { semanticEqual } from '../../lib/json/equality.js';
import { isConflict, isNotFound } from '../../apimachinery/errors/status.js';
import { formatTime } from '../../lib/go/time.js';
import type { Client } from '../../client/interface.js';
import type { ResourceDefinition } from '../interface.js';
import { customResourceDefinitions } from '../../api/kubernetes/resources.js';
import type { Acceptance } from './accept-names.js';
import { approvalCondition, approvalOf, isProtectedGroup } from './approval.js';
import { type CrdCondition, type CustomResourceDefinition, cleanupFinalizer, withCrdCondition } from './crd.js';
import { type Remover, finalize } from './finalize.js';
import { nonStructural, structureCondition } from './non-structural.js';
import { createKeyedRunner } from './keyed-runner.js';

type Structure = ReturnType<typeof structureCondition> extends Iterator<unknown, infer T> ? T : never;

interface KnownStructure {
  /** The uid and the generation of the definition. */
  readonly id: string;
  readonly condition: Structure;
}

interface StatusWriterOptions {
  /** Returns the current definition; undefined if it has been deleted. */
  readonly current: (name: string) => CustomResourceDefinition | undefined;
  readonly acceptance: (crd: CustomResourceDefinition) => Acceptance | undefined;
  readonly served: (name: string) => ResourceDefinition | undefined;
  readonly client: Client;
  readonly remover: Remover;
  readonly now: () => number;
  readonly onError: (error: unknown, name: string) => void;
  readonly signal: AbortSignal;
}

export interface StatusWriter {
  /** Updates the status of a definition, at most once at a time, and retries after errors. */
  reconcile(name: string): void;
  /** Releases the memory for a deleted definition. */
  forget(name: string): void;
  /** Resolves when nothing is running any more. */
  idle(): Promise<void>;
}

/** Creates the writer, which ends when the signal aborts. An error of a write goes to `onError`, and the write is tried again. */
export function createStatusWriter(options: StatusWriterOptions): StatusWriter {
  const { client, now, signal } = options;
  /** The conditions of structure by the name of the definition. */
  const structures = new Map<string, KnownStructure>();

  const runs = createKeyedRunner(work, options);

  async function work(name: string): Promise<void> {
    const crd = options.current(name);
    if (!crd) return;
    const structure = await structureOf(name, crd);
    // The definition or the free names may have changed meanwhile.
    if (options.current(name) !== crd) return runs.run(name);
    structures.set(name, structure);
    const next = nextStatus(crd, options.acceptance(crd), structure.condition, formatTime(now()));
    if (next) return writeStatus(crd, next);
    if (crd.metadata.deletionTimestamp === undefined || !crd.metadata.finalizers?.includes(cleanupFinalizer)) return;
    await finalize({ crd, client, definition: options.served(name), remover: options.remover, now, signal });
  }

  /** Returns the condition of structure, which is computed once per generation, since schemas are large. */
  async function structureOf(name: string, crd: CustomResourceDefinition): Promise<KnownStructure> {
    const { uid, generation } = crd.metadata;
    const id = `${uid} ${generation}`;
    const known = structures.get(name);
    return known?.id === id ? known : { id, condition: await inTimeSlices(structureCondition(crd)) };
  }

  async function writeStatus(crd: CustomResourceDefinition, status: CustomResourceDefinition['status']): Promise<void> {
    try {
      await client.update(customResourceDefinitions, { ...crd, status }, { subresource: 'status' });
    } catch (error) {
      // The definition was changed or deleted meanwhile; the event of that starts the next run.
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }

  return {
    reconcile: runs.run,
    forget: name => void structures.delete(name),
    idle: runs.idle,
  };
}

/** Returns the new status; undefined if it does not change. */
function nextStatus(
  crd: CustomResourceDefinition,
  acceptance: Acceptance | undefined,
  structure: Structure,
  now: string,
): CustomResourceDefinition['status'] | undefined {
  const added = [...(acceptance?.conditions ?? [])];
  const { group } = crd.spec;
  if (isProtectedGroup(group)) added.push(approvalCondition(approvalOf(crd.metadata.annotations)));
  const old = crd.status?.conditions ?? [];
  if (structure) added.push(structure);
  const kept = structure ? old : old.filter(({ type }) => type !== nonStructural);
  const conditions = added.reduce<readonly CrdCondition[]>(
    (all, condition) => withCrdCondition(all, condition, now),
    kept,
  );
  const acceptedNames = acceptance?.acceptedNames ?? crd.status?.acceptedNames;
  const same = semanticEqual([conditions, acceptedNames], [old, crd.status?.acceptedNames]);
  return same ? undefined : { ...crd.status, conditions, ...(acceptedNames && { acceptedNames }) };
}
