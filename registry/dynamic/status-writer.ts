/** The status of definitions is written until it is as it should be; what is deleted is brought to its end. */
import { inTimeSlices } from '../../lib/time-slice.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { semanticEqual } from '../../lib/json/equality.js';
import { isConflict, isNotFound } from '../../apimachinery/errors/status.js';
import { formatTime } from '../../lib/go/time.js';
import type { Client } from '../../client/interface.js';
import type { ResourceDefinition } from '../interface.js';
import { customResourceDefinitions } from '../../api/kubernetes/resources.js';
import type { Acceptance } from './accept-names.js';
import { approvalCondition, approvalOf, isProtectedGroup } from './approval.js';
import { type Condition, type CustomResourceDefinition, cleanupFinalizer, withCondition } from './crd.js';
import { type Remover, finalize } from './finalize.js';
import { nonStructural, structureCondition } from './non-structural.js';
import { createKeyedRunner } from './keyed-runner.js';

type Structure = ReturnType<typeof structureCondition> extends Iterator<unknown, infer T> ? T : never;

interface KnownStructure {
  /** The uid and the generation. */
  readonly of: string;
  readonly condition: Structure;
}

export interface StatusWriterOptions {
  /** What is known of a definition now; undefined: it is gone. */
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
  /** Writes what the status should be, once at a time for each definition; tries again what fails. */
  settle(name: string): void;
  /** The definition is gone. */
  forget(name: string): void;
  /** Resolves when nothing is under way any more. */
  idle(): Promise<void>;
}

export function createStatusWriter(options: StatusWriterOptions): StatusWriter {
  const { client, now, signal } = options;
  /** What is wrong with the structure of schemas, by uid and generation. */
  const structures = new Map<string, KnownStructure>();

  const runs = createKeyedRunner(work, options);

  async function work(name: string): Promise<void> {
    const crd = options.current(name);
    if (!crd) return;
    const structure = await structureOf(name, crd);
    // What it says or which names are free may have changed meanwhile: then it is looked at again.
    if (options.current(name) !== crd) return runs.run(name);
    structures.set(name, structure);
    const next = nextStatus(crd, options.acceptance(crd), structure.condition, formatTime(now()));
    if (next) return writeStatus(crd, next);
    if (crd.metadata.deletionTimestamp === undefined || !crd.metadata.finalizers?.includes(cleanupFinalizer)) return;
    await finalize({ crd, client, definition: options.served(name), remover: options.remover, now, signal });
  }

  /** Returns what is wrong with the structure of a generation, which is found once: schemas are large. */
  async function structureOf(name: string, crd: CustomResourceDefinition): Promise<KnownStructure> {
    const { uid, generation } = crd.metadata;
    const of = `${uid} ${generation}`;
    const before = structures.get(name);
    return before?.of === of ? before : { of, condition: await inTimeSlices(structureCondition(crd)) };
  }

  async function writeStatus(crd: CustomResourceDefinition, status: CustomResourceDefinition['status']): Promise<void> {
    try {
      const written = { ...crd, status } as unknown as KubeObject;
      await client.update(customResourceDefinitions, written, { subresource: 'status' });
    } catch (error) {
      // Changed or gone meanwhile: an event says so, and it is looked at again.
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }

  return {
    settle: runs.run,
    forget: name => void structures.delete(name),
    idle: runs.idle,
  };
}

/** Undefined: the status is as it should be. */
function nextStatus(
  crd: CustomResourceDefinition,
  acceptance: Acceptance | undefined,
  structure: Structure,
  now: string,
): CustomResourceDefinition['status'] | undefined {
  const wanted = [...(acceptance?.conditions ?? [])];
  const { group } = crd.spec;
  if (isProtectedGroup(group)) wanted.push(approvalCondition(approvalOf(crd.metadata.annotations)));
  const old = crd.status?.conditions ?? [];
  if (structure) wanted.push(structure);
  const kept = structure ? old : old.filter(({ type }) => type !== nonStructural);
  const conditions = wanted.reduce<readonly Condition[]>((all, condition) => withCondition(all, condition, now), kept);
  const acceptedNames = acceptance?.acceptedNames ?? crd.status?.acceptedNames;
  const same = semanticEqual([conditions, acceptedNames], [old, crd.status?.acceptedNames]);
  return same ? undefined : { ...crd.status, conditions, ...(acceptedNames && { acceptedNames }) };
}
