/**
 * Serves CustomResourceDefinitions, with one watch. A definition is in the catalogue before its status has the condition Established.
 * Also updates the status of APIServices.
 */
import { validators } from '../../openapi/schema/expressions/cel-validator.js';
import { forgetPlans } from '../../openapi/schema/validation-plan.js';
import { isConditionTrue } from '../../apimachinery/meta/conditions.js';
import type { LiveCatalogue } from '../catalogue/catalogue.js';
import { follow } from '../../client/watch/follow.js';
import type { Client } from '../../client/interface.js';
import type { ResourceDefinition } from '../interface.js';
import { customResourceDefinitions } from '../../api/kubernetes/resources.js';
import { type Acceptance, acceptNames } from './accept-names.js';
import { followApiServices, type ObserveApiServices } from './api-services.js';
import { type CustomResourceDefinition, type Spec, asDefinition, isTrue, schemaOf } from './crd.js';
import { type Conversion, define } from './define.js';
import { definitionEqual } from './definition-equal.js';
import type { Remover } from './finalize.js';
import { createStatusWriter } from './status-writer.js';

/** Returns the conversion between the versions of a definition; undefined if they differ in apiVersion only. */
export type Converter = (crd: CustomResourceDefinition) => Conversion | undefined;

/** Drops the compiled rules and patterns of schemas that are no longer served, since the history of objects keeps the schemas for minutes. */
function forgetCompiled({ versions }: Spec): void {
  for (const version of versions) {
    const schema = schemaOf(version);
    if (!schema) continue;
    validators.forget(schema);
    forgetPlans(schema);
  }
}

interface DynamicOptions {
  readonly catalogue: LiveCatalogue;
  /** Writes the status of definitions, as kube-apiserver. */
  readonly client: Client;
  /** Removes the objects of a deleted definition. */
  readonly remover: Remover;
  readonly convert?: Converter;
  readonly now?: () => number;
  /** Called with errors; the operation is retried. */
  readonly onError?: (error: unknown, name: string) => void;
  readonly observe?: ObserveApiServices;
  readonly signal: AbortSignal;
}

interface Dynamic {
  /** Resolves when all existing definitions are served; rejects if the signal aborts first. */
  readonly ready: Promise<void>;
  /** Resolves when all existing APIServices have been listed. */
  readonly apiServicesReady: Promise<void>;
  /** Resolves when the signal has aborted and nothing is running any more. */
  readonly done: Promise<void>;
}

export function createDynamic(options: DynamicOptions): Dynamic {
  const { catalogue, client, signal, now = Date.now, onError = () => undefined } = options;
  const known = new Map<string, CustomResourceDefinition>();
  const served = new Map<
    string,
    { readonly content: unknown; readonly spec: Spec; readonly definition: ResourceDefinition; terminating: boolean }
  >();

  function* othersOf(crd: CustomResourceDefinition): Iterable<CustomResourceDefinition> {
    for (const other of known.values())
      if (other.spec.group === crd.spec.group && other.metadata.name !== crd.metadata.name) yield other;
  }

  const acceptance = (crd: CustomResourceDefinition): Acceptance | undefined => acceptNames(crd, othersOf(crd));

  const statuses = createStatusWriter({
    ...{ acceptance, client, now, onError, signal },
    remover: options.remover,
    current: name => known.get(name),
    served: name => served.get(name)?.definition,
  });

  // --- serving ------------------------------------------------------------------------------------------------

  /** Adds a definition to the catalogue if its names are accepted, and updates it if its content has changed. */
  function serve(name: string, crd: CustomResourceDefinition): void {
    const accepted = acceptance(crd);
    const names = accepted?.acceptedNames ?? crd.status?.acceptedNames;
    const established = isTrue(crd, 'Established') || isConditionTrue(accepted?.conditions, 'Established');
    if (!names || !established) return;
    const { group } = crd.spec;
    const content = [crd.metadata.uid, crd.spec, names];
    const old = served.get(name);
    const terminating = isTrue(crd, 'Terminating');
    if (old && definitionEqual(old.content, content)) {
      // Discovery lists fewer verbs during the deletion; watches continue.
      if (old.terminating !== terminating) catalogue.set(old.definition);
      old.terminating = terminating;
      return;
    }
    const existing = catalogue.byPlural(group, names.plural);
    // A native resource of the same name takes precedence.
    if (existing && existing !== old?.definition) return;
    const isTerminating = (): boolean => {
      const current = known.get(name);
      return current !== undefined && isTrue(current, 'Terminating');
    };
    const servedAt = now();
    // The definition is served before its status has the condition.
    const establishedAt = (): number => {
      const condition = known.get(name)?.status?.conditions?.find(({ type }) => type === 'Established');
      return condition?.status === 'True' ? Date.parse(condition.lastTransitionTime ?? '') : servedAt;
    };
    const conversion = options.convert?.(crd);
    const definition = define(crd, { names, isTerminating, establishedAt, ...(conversion && { conversion }) });
    served.set(name, { content, spec: crd.spec, definition, terminating });
    catalogue.set(definition);
    if (old) forgetCompiled(old.spec);
  }

  function withdraw(name: string): void {
    const old = served.get(name);
    if (!old) return;
    served.delete(name);
    catalogue.remove(old.definition.group, old.definition.plural);
    forgetCompiled(old.spec);
  }

  function reconcile(name: string): void {
    const crd = known.get(name);
    if (!crd) return;
    serve(name, crd);
    statuses.reconcile(name);
  }

  // --- watching -----------------------------------------------------------------------------------------------

  function forget(name: string): void {
    const deleted = known.get(name);
    known.delete(name);
    statuses.forget(name);
    withdraw(name);
    // Other definitions may get its names now.
    if (deleted) for (const other of othersOf(deleted)) reconcile(other.metadata.name ?? '');
  }

  let isReady = false;
  const followed = follow(customResourceDefinitions, {
    ...{ client, signal },
    onChange(name, _, current) {
      if (!current) return forget(name);
      known.set(name, asDefinition(current.object));
      if (isReady) reconcile(name);
    },
    onError: error => onError(error, ''),
  });
  // At the start all definitions are read first, since accepted names depend on all of them.
  const ready = followed.synced.then(() => {
    isReady = true;
    catalogue.batch(() => {
      for (const name of known.keys()) reconcile(name);
    });
  });
  ready.catch(() => undefined); // without this, a caller that does not await it would get an unhandled rejection

  const following = followApiServices({
    ...{ catalogue, client, now, onError, signal },
    ...(options.observe && { observe: options.observe }),
  });
  const all = [followed.done.then(() => statuses.idle()), following.done];
  return { ready, apiServicesReady: following.synced, done: Promise.all(all).then(() => undefined) };
}
