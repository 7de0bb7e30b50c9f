/**
 * Serves CustomResourceDefinitions, with one watch. A definition is in the catalogue before its status has the condition Established.
 * Also updates the status of APIServices.
 */
import { validators } from '../../openapi/schema/expressions/cel-validator.js';
import { forgetPlans } from '../../openapi/schema/validation/validation-plan.js';
import { isConditionTrue } from '../../apimachinery/meta/conditions.js';
import type { LiveCatalogue } from '../catalogue/catalogue.js';
import { follow } from '../../client/watch/follow.js';
import type { CachedObject, Client } from '../../client/interface.js';
import type { ResourceDefinition } from '../interface.js';
import { customResourceDefinitions } from '../../api/kubernetes/resources.js';
import { type Acceptance, acceptNames } from './accept-names.js';
import type { ApiServers } from './api-services/api-servers.js';
import { followApiServices, type ObserveApiServices } from './api-services/api-services.js';
import {
  type CustomResourceDefinition,
  type Names,
  type Spec,
  asDefinition,
  crdHasCondition,
  schemaOf,
} from './crd.js';
import { type Conversion, define } from './define.js';
import { definitionEqual } from './definition-equal.js';
import type { Remover } from './finalize.js';
import { type StatusWriter, createStatusWriter } from './status-writer.js';

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
  readonly servers: ApiServers;
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

/** Starts to follow the definitions and the APIServices. */
export function createDynamic(options: DynamicOptions): Dynamic {
  const { catalogue, client, servers, signal, now = Date.now, onError = () => undefined, observe } = options;
  const definitions = new CustomDefinitions({ ...options, now, onError });
  const ready = definitions.ready();
  ready.catch(() => undefined); // without this, a caller that does not await it would get an unhandled rejection
  const following = followApiServices({
    ...{ catalogue, client, servers, now, onError, signal },
    ...(observe && { observe }),
  });
  const all = [definitions.done(), following.done];
  return { ready, apiServicesReady: following.synced, done: Promise.all(all).then(() => undefined) };
}

interface Served {
  /** What the definition in the catalogue depends on. */
  readonly content: unknown;
  readonly spec: Spec;
  readonly definition: ResourceDefinition;
  terminating: boolean;
}

/** The existing CustomResourceDefinitions, and their part of the catalogue. */
class CustomDefinitions {
  readonly #catalogue: LiveCatalogue;
  readonly #convert: Converter | undefined;
  readonly #now: () => number;
  /** The existing definitions by name. */
  readonly #known = new Map<string, CustomResourceDefinition>();
  /** The definitions in the catalogue by name. */
  readonly #served = new Map<string, Served>();
  readonly #statuses: StatusWriter;
  readonly #followed: ReturnType<typeof follow>;
  /** False until all existing definitions have been read. */
  #isReady = false;

  constructor(options: DynamicOptions & Required<Pick<DynamicOptions, 'now' | 'onError'>>) {
    const { catalogue, client, remover, convert, now, onError, signal } = options;
    this.#catalogue = catalogue;
    this.#convert = convert;
    this.#now = now;
    this.#statuses = createStatusWriter({
      ...{ client, remover, now, onError, signal },
      acceptance: crd => this.#acceptance(crd),
      current: name => this.#known.get(name),
      served: name => this.#served.get(name)?.definition,
    });
    this.#followed = follow(customResourceDefinitions, {
      ...{ client, signal },
      onChange: (name, _, current) => this.#observe(name, current),
      onError: error => onError(error, ''),
    });
  }

  /** Resolves when all existing definitions are served. All are read first, since accepted names depend on all of them. */
  async ready(): Promise<void> {
    await this.#followed.synced;
    this.#isReady = true;
    this.#catalogue.batch(() => {
      for (const name of this.#known.keys()) this.#reconcile(name);
    });
  }

  /** Resolves when the signal has aborted and nothing is running any more. */
  async done(): Promise<void> {
    await this.#followed.done;
    await this.#statuses.idle();
  }

  // --- watching -----------------------------------------------------------------------------------------------

  #observe(name: string, current: CachedObject | undefined): void {
    if (!current) return this.#forget(name);
    this.#known.set(name, asDefinition(current.object));
    if (this.#isReady) this.#reconcile(name);
  }

  #forget(name: string): void {
    const deleted = this.#known.get(name);
    this.#known.delete(name);
    this.#statuses.forget(name);
    this.#withdraw(name);
    // Other definitions may get its names now.
    if (deleted) for (const other of this.#othersOf(deleted)) this.#reconcile(other.metadata.name ?? '');
  }

  #reconcile(name: string): void {
    const crd = this.#known.get(name);
    if (!crd) return;
    this.#serve(name, crd);
    this.#statuses.reconcile(name);
  }

  // --- serving ------------------------------------------------------------------------------------------------

  #acceptance(crd: CustomResourceDefinition): Acceptance | undefined {
    return acceptNames(crd, this.#othersOf(crd));
  }

  *#othersOf(crd: CustomResourceDefinition): Iterable<CustomResourceDefinition> {
    for (const other of this.#known.values())
      if (other.spec.group === crd.spec.group && other.metadata.name !== crd.metadata.name) yield other;
  }

  /** Adds a definition to the catalogue if its names are accepted, and updates it if its content has changed. */
  #serve(name: string, crd: CustomResourceDefinition): void {
    const accepted = this.#acceptance(crd);
    const names = accepted?.acceptedNames ?? crd.status?.acceptedNames;
    const established = crdHasCondition(crd, 'Established') || isConditionTrue(accepted?.conditions, 'Established');
    if (!names || !established) return;
    // The generation stands for the spec, whose comparison takes long for a large one.
    const { uid, generation } = crd.metadata;
    const content = [uid, generation, names];
    const old = this.#served.get(name);
    const terminating = crdHasCondition(crd, 'Terminating');
    if (old && definitionEqual(old.content, content)) {
      // Discovery lists fewer verbs during the deletion; watches continue.
      if (old.terminating !== terminating) this.#catalogue.set(old.definition);
      old.terminating = terminating;
      return;
    }
    const existing = this.#catalogue.byPlural(crd.spec.group, names.plural);
    // A native resource of the same name takes precedence.
    if (existing && existing !== old?.definition) return;
    const definition = this.#define(name, crd, names);
    this.#served.set(name, { content, spec: crd.spec, definition, terminating });
    this.#catalogue.set(definition);
    if (old) forgetCompiled(old.spec);
  }

  #define(name: string, crd: CustomResourceDefinition, names: Names): ResourceDefinition {
    const isTerminating = (): boolean => {
      const current = this.#known.get(name);
      return current !== undefined && crdHasCondition(current, 'Terminating');
    };
    const servedAt = this.#now();
    // The definition is served before its status has the condition.
    const establishedAt = (): number => {
      const condition = this.#known.get(name)?.status?.conditions?.find(({ type }) => type === 'Established');
      return condition?.status === 'True' ? Date.parse(condition.lastTransitionTime ?? '') : servedAt;
    };
    const conversion = this.#convert?.(crd);
    return define(crd, { names, isTerminating, establishedAt, ...(conversion && { conversion }) });
  }

  #withdraw(name: string): void {
    const old = this.#served.get(name);
    if (!old) return;
    this.#served.delete(name);
    this.#catalogue.remove(old.definition.group, old.definition.plural);
    forgetCompiled(old.spec);
  }
}
