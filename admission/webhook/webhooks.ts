/** Implements MutatingAdmissionWebhook and ValidatingAdmissionWebhook, which call the webhooks of the stored configurations. */
import { randomUUID } from 'node:crypto';
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import type { Authorizer } from '../../registry/access.js';
import { follow } from '../../client/watch/follow.js';
import type { Client } from '../../client/interface.js';
import type { Catalogue } from '../../registry/interface.js';
import type { WebhookCaller } from '../../registry/webhook-caller.js';
import { deny } from '../deny.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission-plugin.js';
import type { CallDeps } from './call.js';
import { type MatchingHook, type IsBuiltIn, createHooks } from './hooks.js';
import { dispatchMutating, mutatingName } from './mutating.js';
import type { ObserveConditions } from '../observe.js';
import type { ObserveCall } from './observe.js';
import type { SelectDeps } from './should-call.js';
import { dispatchValidating } from './validating.js';

export interface ConfiguredOptions {
  readonly client: Client;
  readonly catalogue: Catalogue;
  readonly authorize: Authorizer;
  readonly signal: AbortSignal;
  /** Reports whether a request is exempt from all webhooks and policies. */
  readonly skips?: (request: AdmissionRequest) => boolean;
  readonly conditions?: ObserveConditions;
  /** Called when watching a resource of configurations fails. */
  readonly onError: (error: unknown, resource: string) => void;
}

interface WebhookOptions extends ConfiguredOptions {
  readonly call: WebhookCaller;
  readonly observe?: ObserveCall;
  readonly isBuiltIn?: IsBuiltIn;
}

interface Webhooks {
  readonly mutating: AdmissionPlugin;
  readonly validating: AdmissionPlugin;
  /** Resolves when all existing configurations are known; requests wait until then. */
  readonly synced: Promise<void>;
  /** Resolves when the signal has aborted and all watches have ended. */
  readonly done: Promise<void>;
}

/** Returns a resource of the API group of webhooks and admission policies. */
export const admissionregistration = (resource: string): GroupVersionResource => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource,
});

/** Milliseconds that a request waits for the configurations. as apiserver/pkg/admission handler.go timeToWaitForReady */
const readyTimeoutMs = 10_000;

/** Returns a function that makes requests wait until `synced` resolves; undefined once it has. After a timeout it rejects with 403. */
export function whenSynced(synced: Promise<void>): (request: AdmissionRequest) => Promise<void> | undefined {
  let isSynced = false;
  void synced.then(
    () => (isSynced = true),
    () => undefined,
  );
  return request => {
    if (isSynced) return undefined;
    let timer: NodeJS.Timeout | undefined;
    const timedOut = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(deny(request, 'not yet ready to handle request')), readyTimeoutMs).unref();
    });
    return Promise.race([synced, timedOut]).finally(() => clearTimeout(timer));
  };
}

type Dispatch = (matching: readonly MatchingHook[], request: AdmissionRequest, deps: DispatchDeps) => Promise<void>;

type DispatchDeps = SelectDeps & CallDeps;

/** Calls the webhooks of one resource of configurations, which it watches. */
class WebhookPlugin {
  /** Resolves when the existing configurations are known. */
  readonly synced: Promise<void>;
  /** Resolves when the watch has ended. */
  readonly done: Promise<void>;
  readonly #hooks: ReturnType<typeof createHooks>;
  readonly #wait: ReturnType<typeof whenSynced>;
  readonly #skips: NonNullable<WebhookOptions['skips']>;
  readonly #dispatch: Dispatch;
  readonly #deps: DispatchDeps;

  constructor(resource: string, dispatch: Dispatch, options: WebhookOptions) {
    const { client, catalogue, signal, authorize, call, observe, conditions } = options;
    const { onError, skips = () => false, isBuiltIn } = options;
    this.#deps = { client, authorize, call, uuid: randomUUID, observe, conditions };
    this.#dispatch = dispatch;
    this.#skips = skips;
    this.#hooks = createHooks(catalogue, isBuiltIn);
    const { synced, done } = follow(admissionregistration(resource), {
      ...{ client, signal },
      onChange: (name, _, current) => this.#hooks.set(name, current?.object),
      onError: error => onError(error, resource),
    });
    this.synced = synced;
    this.done = done;
    this.#wait = whenSynced(synced);
  }

  /** hot: one lookup for requests without a matching webhook. */
  run(request: AdmissionRequest): Promise<void> | undefined {
    const waiting = this.#wait(request);
    if (waiting) return waiting.then(() => this.run(request));
    const matching = this.#hooks.for(request);
    if (matching.length === 0 || this.#skips(request)) return undefined;
    const began = performance.now();
    return this.#dispatch(matching, request, this.#deps).finally(() => request.waited?.(performance.now() - began));
  }
}

/** Returns the plugins of both kinds of webhooks, and starts to watch their configurations until the signal aborts. */
export function admissionWebhooks(options: WebhookOptions): Webhooks {
  const mutating = new WebhookPlugin('mutatingwebhookconfigurations', dispatchMutating, options);
  const validating = new WebhookPlugin('validatingwebhookconfigurations', dispatchValidating, options);
  const both = (which: 'synced' | 'done'): Promise<void> =>
    Promise.all([mutating[which], validating[which]]).then(() => undefined);
  const synced = both('synced');
  synced.catch(() => undefined); // a rejection that is not awaited would end the process
  return {
    mutating: { name: mutatingName, connects: true, mutate: request => mutating.run(request) },
    validating: {
      ...{ name: 'ValidatingAdmissionWebhook', connects: true },
      validate: request => validating.run(request),
    },
    synced,
    done: both('done'),
  };
}
