import type { KubeObject } from '../../apimachinery/interface.js';
import type { RandomBytes } from '../../lib/random.js';
import type { GroupResource } from '../../apimachinery/errors/status.js';
import type { Floats } from '../../apimachinery/codec/floats.js';
import type { AdmissionPlugin, AdmissionRequest } from '../admission-plugin.js';
import type { Client } from '../../client/interface.js';
import type { Identity } from '../../apimachinery/identity.js';
import type { ActionCall, StrategyContext } from '../interface.js';
import type { LiveCatalogue } from '../catalogue/catalogue.js';
import type { RequestScope, WriteParameters } from './interface.js';
import { noteSize, pauseOf } from './pause.js';
import type { ResourceStores } from './stored/resource-stores.js';

/** What the verbs are built from. */
export interface Parts {
  readonly catalogue: LiveCatalogue;
  readonly stores: ResourceStores;
  readonly admission: AdmissionPlugin;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly random: RandomBytes;
  /** The in-process client that actions and reviews work with, as this user. */
  readonly clientFor: (user: Identity) => Client;
}

/** As errors name it: of a subresource the resource alone. */
export const resourceOf = (call: RequestScope): GroupResource => ({
  group: call.definition.group,
  resource: call.definition.plural,
});
export type Operation = StrategyContext['operation'];

export function strategyContext(
  parts: Parts,
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
    now: new Date(parts.now()),
    warn: text => call.warn(text),
  };
}

const verbs: Readonly<Record<string, string>> = {
  CreateOptions: 'create',
  UpdateOptions: 'update',
  PatchOptions: 'patch',
  DeleteOptions: 'delete',
};

/** What a review, an action, or a hook of a kind gets to work with. */
export function actionCall(parts: Parts, call: RequestScope, { dryRun, options }: WriteParameters): ActionCall {
  return {
    user: call.user,
    verb: verbs[String(options['kind'])] ?? '',
    namespace: call.namespace,
    dryRun,
    client: parts.clientFor(call.user),
    warn: text => call.warn(text),
  };
}

/** hot: two per write. A class, since an accessor in a literal is made anew each time. */
class RequestOfCall implements AdmissionRequest {
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
    name: string,
    object: KubeObject | undefined,
    old: KubeObject | undefined,
  ) {
    const { definition } = call;
    this.#call = call;
    this.operation = operation;
    this.definition = definition;
    this.version = call.version.name;
    this.subresource = call.subresource;
    // A namespace is where it is the name of.
    this.namespace = definition.plural === 'namespaces' && definition.group === '' ? name : call.namespace;
    this.name = name;
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

  readonly warn = (text: string): void => this.#call.warn(text);
  readonly annotate = (key: string, value: string): void => this.#call.annotate(key, value);

  waited(milliseconds: number): void {
    this.#call.waited?.(milliseconds);
  }
}

export function admissionRequest(...given: ConstructorParameters<typeof RequestOfCall>): AdmissionRequest {
  return new RequestOfCall(...given);
}
