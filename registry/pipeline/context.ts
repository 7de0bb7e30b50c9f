import type { KubeObject } from '../../apimachinery/interface.js';
import type { RandomBytes } from '../../lib/random.js';
import type { Floats } from '../../apimachinery/codec/floats.js';
import type { AdmissionPlugin, AdmissionRequest } from '../admission-plugin.js';
import type { Client } from '../../client/interface.js';
import type { Identity } from '../../apimachinery/identity.js';
import type { ActionCall, StrategyContext } from '../interface.js';
import type { LiveCatalogue } from '../catalogue/catalogue.js';
import type { RequestScope, WriteParameters } from './interface.js';
import { noteSize, pauseOf } from './pause.js';
import type { ResourceStores } from './stored/resource-stores.js';

/** The dependencies of the verbs. */
export interface PipelineDeps {
  readonly catalogue: LiveCatalogue;
  readonly stores: ResourceStores;
  readonly admission: AdmissionPlugin;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly random: RandomBytes;
  /** Returns the in-process client with which actions and reviews act as this user: one for all requests with the same Identity. */
  readonly clientFor: (user: Identity) => Client;
}

type Operation = StrategyContext['operation'];

/** Returns what the rules of a kind may know of a write. `floats`: the whole numbers that the object writes as floats. */
export function strategyContext(
  deps: PipelineDeps,
  call: RequestScope,
  operation: Operation,
  write: WriteParameters,
  floats = write.floats,
): StrategyContext {
  return {
    user: call.user,
    operation,
    namespace: call.namespace,
    subresource: call.subresource,
    version: call.version.name,
    dryRun: write.dryRun,
    floats,
    isLarge: pauseOf(call) !== undefined,
    now: new Date(deps.now()),
    warn: text => call.warn(text),
  };
}

const verbs: Readonly<Record<string, string>> = {
  CreateOptions: 'create',
  UpdateOptions: 'update',
  PatchOptions: 'patch',
  DeleteOptions: 'delete',
};

/** Returns the input of a review, an action, or a hook of a kind. */
export function actionCall(deps: PipelineDeps, call: RequestScope, { dryRun, options }: WriteParameters): ActionCall {
  return {
    user: call.user,
    verb: verbs[String(options['kind'])] ?? '',
    namespace: call.namespace,
    dryRun,
    client: deps.clientFor(call.user),
    warn: text => call.warn(text),
  };
}

/** The object of a write, as admission sees it. Both admission requests of a write can share it. */
export interface WriteTarget {
  /** The name in the request. '' for a create without one, whose name the server generates or admission sets. */
  readonly name: string;
  /** The draft, which mutating admission changes in place; undefined for a deletion. */
  readonly object: KubeObject | undefined;
  /** The stored object; undefined for a create. */
  readonly old: KubeObject | undefined;
}

/** hot: two per write. A class, since accessors and methods in an object literal are created for each object. */
class PipelineAdmissionRequest implements AdmissionRequest {
  readonly operation;
  readonly definition;
  readonly version;
  readonly subresource;
  readonly namespace;
  readonly name;
  readonly user;
  readonly dryRun;
  readonly options;
  readonly object;
  readonly old;
  floats: Floats | undefined = undefined;
  readonly #call: RequestScope;

  constructor(
    call: RequestScope,
    write: WriteParameters,
    operation: AdmissionRequest['operation'],
    { name, object, old }: WriteTarget,
  ) {
    const { definition } = call;
    this.#call = call;
    this.operation = operation;
    this.definition = definition;
    this.version = call.version.name;
    this.subresource = call.subresource;
    // The namespace of a Namespace is its name.
    this.namespace = definition.plural === 'namespaces' && definition.group === '' ? name : call.namespace;
    // as apiserver/pkg/registry/rest AdmissionToValidateObjectFunc: validating admission gets the generated name
    this.name = name || (object?.metadata.name ?? '');
    this.user = call.user;
    this.dryRun = write.dryRun;
    this.options = write.options;
    this.object = object;
    this.old = old;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get pause(): (() => Promise<void>) | undefined {
    return pauseOf(this.#call);
  }

  grows(bytes: number): void {
    noteSize(this.#call, (this.#call.bodyBytes ?? 0) + bytes);
  }

  /** A bound function, since plugins pass it on. */
  readonly warn = (text: string): void => this.#call.warn(text);

  annotate(key: string, value: string): void {
    this.#call.annotate(key, value);
  }

  waited(milliseconds: number): void {
    this.#call.waited?.(milliseconds);
  }
}

/** Returns the request that the plugins of admission get for a write. */
export function admissionRequest(
  call: RequestScope,
  write: WriteParameters,
  operation: AdmissionRequest['operation'],
  target: WriteTarget,
): AdmissionRequest {
  return new PipelineAdmissionRequest(call, write, operation, target);
}
