import { createHash, randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { errorText } from '../../../apimachinery/errors/error-text.js';
import type { JsonObject } from '../../../apimachinery/interface.js';
import { NotSynced, NotYet } from '../../../client/runtime/controller.js';
import { QueueFullError } from '../../../lib/fair-limit.js';
import { goQuote } from '../../../lib/go/go-text.js';
import { jsonText } from '../../../lib/json/json.js';
import { ExpectedError } from '../../../lib/logging/cause.js';
import type { Maybe } from '../../../lib/maybe.js';
import { yieldToEventLoop } from '../../../lib/time-slice.js';
import type { WebhookCaller } from '../../../registry/webhook-caller.js';
import { answerError } from '../answers/decode.js';
import { acceptsContext, contextText, readContext, unknownVersions } from './context.js';
import type { Hook } from './hooks.js';
import { Lane } from './lane.js';
import { SlowWebhooks } from './slow-webhooks.js';

/** Milliseconds for which a worker of a controller waits for an answer. Meanwhile it does nothing else. */
const maxWaitMs = 250;

/** Milliseconds after which an object is reconciled again whose call had no place among those that wait. */
const fullMs = 1_000;

/**
 * Limits of the answers that came after the worker had left. They are kept so long that a reconciliation which needs several of them has all of them in
 * the end: each attempt uses those that are there, and is made twice a minute at least. `maxSize` and the sizes are in UTF-16 units of JSON, `ttl` is in
 * milliseconds since the last use.
 */
const keptLimits = { max: 10_000, maxSize: 32 * 1024 * 1024, ttl: 60_000, updateAgeOnGet: true };

/** Size of a kept answer in addition to its JSON. */
const keptOverhead = 200;

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** A call that has not ended. */
interface Pending {
  /** Never rejects, since workers leave. */
  readonly outcome: Promise<Outcome>;
  /** Resolves when the call has ended and its outcome is kept. */
  readonly ended: Promise<void>;
  /** A worker has left: the outcome is kept for the next attempt. */
  isLeft: boolean;
}

interface CallDeps {
  readonly call: WebhookCaller;
  /** Aborts when the controllers stop. */
  readonly signal: AbortSignal;
}

/** Returns the error of a call. as apiserver/pkg/util/webhook ErrCallingWebhook, in an InternalError */
const callError = ({ name }: Hook, reason: string): ExpectedError =>
  answerError(`Internal error occurred: failed calling webhook ${goQuote(name)}: ${reason}`);

const isFailure = (outcome: Outcome): outcome is { readonly error: unknown } => 'error' in outcome;

/** Returns the result of a call. Its type is that of the operation, which is a part of the request. */
function resultOf<T>(outcome: Outcome): T {
  if (isFailure(outcome)) throw outcome.error;
  return outcome.value as T;
}

const sizeOf = (outcome: Outcome): number => keptOverhead + (isFailure(outcome) ? 0 : jsonText(outcome.value).length);

/** Resolves with the outcome of a call, or with undefined after `maxWaitMs`. */
async function awaited({ outcome }: Pending): Promise<Outcome | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(resolve, maxWaitMs, undefined);
  });
  const first = await Promise.race([outcome, late]);
  clearTimeout(timer);
  return first;
}

/**
 * Calls webhooks for workers of controllers. A worker waits a short time for its answer, and not at all for a webhook that is known to be slow: it gets
 * NotSynced, the call goes on without it, and its object is reconciled again when the answer is there. So a webhook that never answers holds no
 * worker. The calls of each configuration are limited; calls with equal requests are one.
 */
export class WebhookCalls {
  readonly #deps: CallDeps;
  /** By configuration, while it has calls. */
  readonly #lanes = new Map<string, Lane>();
  /** By webhook and request. */
  readonly #pending = new Map<string, Pending>();
  /** By webhook and request. */
  readonly #kept = new LRUCache<string, Outcome>(keptLimits);
  /** By the revisions of hooks: a webhook whose configuration has changed may be quick. */
  readonly #slow = new SlowWebhooks(maxWaitMs);

  constructor(deps: CallDeps) {
    this.#deps = deps;
    deps.signal.addEventListener('abort', () => this.#lanes.forEach(lane => lane.abort()), { once: true });
  }

  /** Ends the calls of a configuration that has changed or was deleted. What waits for them is reconciled again. */
  end(configuration: string): void {
    this.#lanes.get(configuration)?.abort();
    this.#lanes.delete(configuration);
  }

  /**
   * Calls a webhook with a request, which is a result of `requestText`, and returns what `read` makes of the response. The result may be that of
   * another call with the same request. Rejects with NotSynced if the answer comes later, with NotYet if too many calls wait or the call
   * was ended, and with an ExpectedError if the webhook cannot be called or refuses, or if its response is invalid.
   */
  async ask<T>(hook: Hook, request: string, read: (response: JsonObject) => Maybe<T>): Promise<T> {
    await yieldToEventLoop();
    const id = `${hook.revision}/${createHash('sha256').update(request).digest('base64')}`;
    const kept = this.#take(id);
    if (kept) return resultOf(kept);
    const pending = this.#pending.get(id) ?? this.#begin(id, hook, request, read);
    const outcome = this.#slow.has(hook.revision) ? undefined : await awaited(pending);
    if (outcome) return resultOf(outcome);
    pending.isLeft = true;
    throw new NotSynced(`webhook ${goQuote(hook.name)} has not answered yet`, pending.ended);
  }

  /** Returns a kept outcome. A failure is returned once, so that the attempt after the next one calls the webhook again. */
  #take(id: string): Outcome | undefined {
    const kept = this.#kept.get(id);
    if (kept && isFailure(kept)) this.#kept.delete(id);
    return kept;
  }

  #begin<T>(id: string, hook: Hook, request: string, read: (response: JsonObject) => Maybe<T>): Pending {
    const outcome = this.#outcomeOf(hook, request, read).then(outcome => {
      this.#pending.delete(id);
      if (pending.isLeft) this.#kept.set(id, outcome, { size: sizeOf(outcome) });
      return outcome;
    });
    const pending: Pending = { outcome, ended: outcome.then(() => undefined), isLeft: false };
    this.#pending.set(id, pending);
    return pending;
  }

  async #outcomeOf<T>(hook: Hook, request: string, read: (response: JsonObject) => Maybe<T>): Promise<Outcome> {
    const { configuration, name } = hook;
    const lane = this.#lanes.get(configuration) ?? new Lane();
    this.#lanes.set(configuration, lane);
    try {
      const run = (): Promise<T> =>
        lane.run({ name, size: request.length }, signal => this.#call(hook, request, read, signal));
      return { value: await this.#slow.measured(hook.revision, run) };
    } catch (error) {
      if (lane.isAborted || this.#deps.signal.aborted)
        return { error: new NotYet(`the call of webhook ${goQuote(name)} was ended: again later`) };
      if (!(error instanceof QueueFullError)) return { error };
      return { error: new NotYet(`too many calls of webhook ${goQuote(name)} are waiting: again later`, fullMs) };
    } finally {
      if (lane.isIdle && this.#lanes.get(configuration) === lane) this.#lanes.delete(configuration);
    }
  }

  async #call<T>(
    hook: Hook,
    request: string,
    read: (response: JsonObject) => Maybe<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const { fault, contextVersions, target, timeoutMs, hasTimeout } = hook;
    if (signal.aborted || this.#deps.signal.aborted) throw callError(hook, 'context canceled');
    if (!acceptsContext(contextVersions)) throw callError(hook, unknownVersions);
    if (fault !== undefined) throw callError(hook, `could not get REST client: ${fault}`);
    const uid = randomUUID();
    let answer: unknown;
    try {
      const review = contextText(uid, request);
      answer = await this.#deps.call({ target, review, timeoutMs, sendTimeout: hasTimeout, signal });
    } catch (error) {
      throw callError(hook, `failed to call webhook: ${errorText(error)}`);
    }
    await yieldToEventLoop();
    const { response, refusal } = await valid(hook, () => readContext(answer, uid));
    if (refusal !== undefined) throw callError(hook, refusal);
    return valid(hook, () => read(response));
  }
}

/** Returns what `read` returns, and names the webhook in its errors. */
async function valid<T>(hook: Hook, read: () => Maybe<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
    throw callError(hook, `received invalid webhook response: ${error.message}`);
  }
}
