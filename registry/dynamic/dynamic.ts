/**
 * CustomResourceDefinitions become resources while the server runs. One watch over the definitions drives it: what a definition says is
 * in the catalogue before its status says that it is established. APIServices are looked after beside them.
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

/** How the versions of a definition are converted; undefined: they differ in apiVersion only. */
export type Converter = (crd: CustomResourceDefinition) => Conversion | undefined;

/** Drops the compiled rules and patterns of schemas that are no longer served: the history of their objects keeps the schemas for minutes. */
function forgetCompiled({ versions }: Spec): void {
  for (const version of versions) {
    const schema = schemaOf(version);
    if (!schema) continue;
    validators.forget(schema);
    forgetPlans(schema);
  }
}

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

export function createDynamic(options: DynamicOptions): Dynamic {
  const { catalogue, client, signal, now = Date.now, onError = () => undefined } = options;
  const known = new Map<string, CustomResourceDefinition>();
  const served = new Map<
    string,
    { readonly says: unknown; readonly spec: Spec; readonly definition: ResourceDefinition; terminating: boolean }
  >();

  function* othersOf(crd: CustomResourceDefinition): Iterable<CustomResourceDefinition> {
    for (const other of known.values())
      if (other.spec.group === crd.spec.group && other.metadata.name !== crd.metadata.name) yield other;
  }

  const acceptance = (crd: CustomResourceDefinition): Acceptance | undefined => acceptNames(crd, othersOf(crd));

  const settling = createStatusWriter({
    ...{ acceptance, client, now, onError, signal },
    remover: options.remover,
    current: name => known.get(name),
    served: name => served.get(name)?.definition,
  });

  // --- serving ------------------------------------------------------------------------------------------------

  /** Puts a definition into the catalogue, when it has its names and says something new. */
  function serve(name: string, crd: CustomResourceDefinition): void {
    const accepted = acceptance(crd);
    const names = accepted?.acceptedNames ?? crd.status?.acceptedNames;
    const established = isTrue(crd, 'Established') || isConditionTrue(accepted?.conditions, 'Established');
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
    // A native resource of the name comes first, and is the only one to be served.
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
    served.set(name, { says, spec: crd.spec, definition, terminating });
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

  function consider(name: string): void {
    const crd = known.get(name);
    if (!crd) return;
    serve(name, crd);
    settling.settle(name);
  }

  // --- watching -----------------------------------------------------------------------------------------------

  function forget(name: string): void {
    const gone = known.get(name);
    known.delete(name);
    settling.forget(name);
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
  ready.catch(() => undefined); // who does not wait for it must not die of it

  const following = followApiServices({
    ...{ catalogue, client, now, onError, signal },
    ...(options.observe && { observe: options.observe }),
  });
  const all = [followed.done.then(() => settling.idle()), following.done];
  return { ready, apiServicesReady: following.synced, done: Promise.all(all).then(() => undefined) };
}
