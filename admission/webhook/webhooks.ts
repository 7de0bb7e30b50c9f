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
import { type MatchingHook, type IsBuiltIn, createHooks } from './hooks.js';
import { dispatchMutating, mutatingName } from './mutating.js';
import type { ObserveConditions } from '../observe.js';
import type { ObserveCall } from './observe.js';
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

export function admissionWebhooks(options: WebhookOptions): Webhooks {
  const { client, catalogue, signal, call, authorize, onError, skips = () => false } = options;
  const deps = { client, authorize, call, uuid: randomUUID, observe: options.observe, conditions: options.conditions };

  function plugin(
    name: string,
    resource: string,
    dispatch: (matching: readonly MatchingHook[], request: AdmissionRequest, context: typeof deps) => Promise<void>,
  ) {
    const hooks = createHooks(catalogue, options.isBuiltIn);
    const { synced, done } = follow(admissionregistration(resource), {
      ...{ client, signal },
      onChange: (name, _, current) => hooks.set(name, current?.object),
      onError: error => onError(error, resource),
    });
    const wait = whenSynced(synced);
    // hot: one lookup for requests without a matching webhook.
    const run = (request: AdmissionRequest): Promise<void> | undefined => {
      const waiting = wait(request);
      if (waiting) return waiting.then(() => run(request));
      const matching = hooks.for(request);
      if (matching.length === 0 || skips(request)) return undefined;
      const began = performance.now();
      return dispatch(matching, request, deps).finally(() => request.waited?.(performance.now() - began));
    };
    return { name, run, synced, done };
  }

  const mutating = plugin(mutatingName, 'mutatingwebhookconfigurations', dispatchMutating);
  const validating = plugin('ValidatingAdmissionWebhook', 'validatingwebhookconfigurations', dispatchValidating);
  const both = (which: 'synced' | 'done'): Promise<void> =>
    Promise.all([mutating[which], validating[which]]).then(() => undefined);
  const synced = both('synced');
  synced.catch(() => undefined); // a rejection that is not awaited would end the process
  return {
    mutating: { name: mutating.name, connects: true, mutate: request => mutating.run(request) },
    validating: { name: validating.name, connects: true, validate: request => validating.run(request) },
    synced,
    done: both('done'),
  };
}
