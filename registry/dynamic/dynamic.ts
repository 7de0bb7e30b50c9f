/**
 * CustomResourceDefinitions become resources while the server runs. One watch over the definitions drives it: what a definition says is
 * in the catalogue before its status says that it is established. APIServices are looked after beside them.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { KubeObject } from '../../openapi/interface.js';
import { semanticEqual } from '../../openapi/meta/equality.js';
import { isConflict, isNotFound } from '../../openapi/meta/status.js';
import { formatTime } from '../../openapi/meta/time.js';
import type { LiveCatalogue } from '../catalogue/catalogue.js';
import { follow } from '../client/follow.js';
import type { Client, ResourceDefinition } from '../interface.js';
import { type Acceptance, acceptNames } from './accept-names.js';
import { approvalCondition, approvalOf, isProtectedGroup } from './approval.js';
import { followApiServices, type ObserveApiServices } from './api-services.js';
import {
  type Condition,
  type CustomResourceDefinition,
  asDefinition,
  cleanupFinalizer,
  isTrue,
  withCondition,
} from './crd.js';
import { type Conversion, define } from './define.js';
import { definitionEqual } from './definition-equal.js';
import { type Remover, finalize } from './finalize.js';
import { nonStructural, structureCondition } from './non-structural.js';

export const customResourceDefinitions = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
} as const;

/** How the versions of a definition are converted; undefined: they differ in apiVersion only. */
export type Converter = (crd: CustomResourceDefinition) => Conversion | undefined;

export interface DynamicOptions {
  readonly catalogue: LiveCatalogue;
  /** Writes the status of definitions, as kube-apiserver. */
  readonly client: Client;
  /** Removes what is left of a definition that is deleted. */
  readonly remover: Remover;
  readonly convert?: Converter;
  readonly now?: () => number;
  /** Told what failed and will be tried again. */
  readonly onError?: (error: unknown, name: string) => void;
  readonly observe?: ObserveApiServices;
  readonly signal: AbortSignal;
}

export interface Dynamic {
  /** All definitions that stand at the start are served; rejects when the signal comes first. */
  readonly ready: Promise<void>;
  /** APIServices are followed. */
  readonly apiServicesReady: Promise<void>;
  /** Settled when the signal has aborted and nothing is under way any more. */
  readonly done: Promise<void>;
}

const retryMs = 1000;

export function createDynamic(options: DynamicOptions): Dynamic {
  const { catalogue, client, signal, now = Date.now, onError = () => undefined } = options;
  const known = new Map<string, CustomResourceDefinition>();
  const served = new Map<
    string,
    { readonly says: unknown; readonly definition: ResourceDefinition; terminating: boolean }
  >();
  /** Names whose status is being written, and whether it has to be looked at again. */
  const settling = new Map<string, { again: boolean }>();
  /** What is wrong with the structure of schemas, by uid and generation. */
  const structures = new Map<
    string,
    { readonly of: string; readonly condition: ReturnType<typeof structureCondition> }
  >();
  const running = new Set<Promise<void>>();

  function* othersOf(crd: CustomResourceDefinition): Iterable<CustomResourceDefinition> {
    for (const other of known.values())
      if (other.spec.group === crd.spec.group && other.metadata.name !== crd.metadata.name) yield other;
  }

  // --- serving ------------------------------------------------------------------------------------------------

  /** Puts a definition into the catalogue, when it has its names and says something new. */
  function serve(name: string, crd: CustomResourceDefinition, acceptance: Acceptance | undefined): void {
    const names = acceptance?.acceptedNames ?? crd.status?.acceptedNames;
    const established =
      isTrue(crd, 'Established') || acceptance?.conditions.some(c => c.type === 'Established' && c.status === 'True');
    if (!names || !established) return;
    const { group } = crd.spec;
    const says = [crd.metadata.uid, crd.spec, names];
    const old = served.get(name);
    const terminating = isTrue(crd, 'Terminating');
    if (old && definitionEqual(old.says, says)) {
      // Discovery says less of what is being deleted; watches go on.
      if (old.terminating !== terminating) catalogue.set(old.definition);
      old.terminating = terminating;
      return;
    }
    const standing = catalogue.byPlural(group, names.plural);
    // A native resource of the name comes first, and is the only one to be served (CRD-039).
    if (standing && standing !== old?.definition) return;
    const isTerminating = (): boolean => {
      const current = known.get(name);
      return current !== undefined && isTrue(current, 'Terminating');
    };
    const begun = now();
    // It is served a moment before its status says so.
    const establishedAt = (): number => {
      const condition = known.get(name)?.status?.conditions?.find(({ type }) => type === 'Established');
      return condition?.status === 'True' ? Date.parse(condition.lastTransitionTime ?? '') : begun;
    };
    const conversion = options.convert?.(crd);
    const definition = define(crd, { names, isTerminating, establishedAt, ...(conversion && { conversion }) });
    served.set(name, { says, definition, terminating });
    catalogue.set(definition);
  }

  function withdraw(name: string): void {
    const old = served.get(name);
    if (!old) return;
    served.delete(name);
    catalogue.remove(old.definition.group, old.definition.plural);
  }

  function consider(name: string): void {
    const crd = known.get(name);
    if (!crd) return;
    serve(name, crd, acceptNames(crd, othersOf(crd)));
    settle(name);
  }

  // --- status -------------------------------------------------------------------------------------------------

  /** Writes what the status should be, once at a time for each definition. */
  function settle(name: string): void {
    const going = settling.get(name);
    if (going) {
      going.again = true;
      return;
    }
    const state = { again: false };
    settling.set(name, state);
    const run = work(name)
      .catch((error: unknown) => {
        onError(error, name);
        later(() => settle(name));
      })
      .finally(() => {
        settling.delete(name);
        running.delete(run);
        if (state.again) settle(name);
      });
    running.add(run);
  }

  async function work(name: string): Promise<void> {
    const crd = known.get(name);
    if (!crd || signal.aborted) return;
    const next = nextStatus(crd, acceptNames(crd, othersOf(crd)), structureOf(name, crd), formatTime(now()));
    if (next) return writeStatus(crd, next);
    if (crd.metadata.deletionTimestamp === undefined || !crd.metadata.finalizers?.includes(cleanupFinalizer)) return;
    await finalize({ crd, client, definition: served.get(name)?.definition, remover: options.remover, now, signal });
  }

  /** Of a generation found once: schemas are large. */
  function structureOf(name: string, crd: CustomResourceDefinition): ReturnType<typeof structureCondition> {
    const { uid, generation } = crd.metadata;
    const of = `${uid} ${generation}`;
    const before = structures.get(name);
    if (before?.of === of) return before.condition;
    const condition = structureCondition(crd);
    structures.set(name, { of, condition });
    return condition;
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

  // --- watching -----------------------------------------------------------------------------------------------

  function later(what: () => void): void {
    pause(retryMs, undefined, { signal, ref: false }).then(what, () => undefined);
  }

  function forget(name: string): void {
    const gone = known.get(name);
    known.delete(name);
    structures.delete(name);
    withdraw(name);
    // Its names are free now.
    if (gone) for (const other of othersOf(gone)) consider(other.metadata.name ?? '');
  }

  let isReady = false;
  const followed = follow(customResourceDefinitions, {
    ...{ client, signal },
    onChange(name, _, is) {
      if (!is) return forget(name);
      known.set(name, asDefinition(is.object));
      if (isReady) consider(name);
    },
    onError: error => onError(error, ''),
  });
  // At the start all at once: which names are free depends on all.
  const ready = followed.synced.then(() => {
    isReady = true;
    catalogue.batch(() => {
      for (const name of known.keys()) consider(name);
    });
  });
  ready.catch(() => undefined);

  const following = followApiServices({
    ...{ catalogue, client, now, onError, signal },
    ...(options.observe && { observe: options.observe }),
  });
  const all = [followed.done.then(() => Promise.all(running)), following.done];
  return { ready, apiServicesReady: following.synced, done: Promise.all(all).then(() => undefined) };
}

/** Undefined: the status is as it should be. */
function nextStatus(
  crd: CustomResourceDefinition,
  acceptance: Acceptance | undefined,
  structure: ReturnType<typeof structureCondition>,
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
