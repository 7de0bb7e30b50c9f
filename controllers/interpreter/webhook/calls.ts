import { randomUUID } from 'node:crypto';
import { errorText } from '../../../apimachinery/errors/error-text.js';
import type { JsonObject } from '../../../apimachinery/interface.js';
import { NotYet } from '../../../client/runtime/controller.js';
import { QueueFullError } from '../../../lib/fair-limit.js';
import { goQuote } from '../../../lib/go/go-text.js';
import { ExpectedError } from '../../../lib/logging/cause.js';
import type { Maybe } from '../../../lib/maybe.js';
import { yieldToEventLoop } from '../../../lib/time-slice.js';
import type { WebhookCaller } from '../../../registry/webhook-caller.js';
import { interpreterError } from '../answers/fields.js';
import type { DetachedCalls } from '../calls/detached-calls.js';
import type { InterpretedSubject } from '../calls/subject.js';
import { CallQueue } from './call-queue.js';
import { acceptsContext, contextText, readContext, unknownVersions } from './context.js';
import type { InterpreterHook } from './hooks.js';

/** Milliseconds after which an object is reconciled again whose call had no place among those that wait. */
const fullMs = 1_000;

/** What a webhook is asked. */
interface Question {
  readonly subject: InterpretedSubject;
  readonly request: string;
}

interface CallDeps {
  readonly call: WebhookCaller;
  readonly calls: DetachedCalls;
  /** Aborts when the controllers stop. */
  readonly signal: AbortSignal;
}

/** Returns the error of a call. as apiserver/pkg/util/webhook ErrCallingWebhook, in an InternalError */
const callError = ({ name }: InterpreterHook, reason: string): ExpectedError =>
  interpreterError(`Internal error occurred: failed calling webhook ${goQuote(name)}: ${reason}`);

/** The owners of calls begin with this. */
const ownerPrefix = 'webhook/';

/** Calls webhooks. The calls of each configuration are limited; workers of controllers do not wait long for them. */
export class WebhookCalls {
  readonly #deps: CallDeps;
  /** By configuration, while it has calls. */
  readonly #queues = new Map<string, CallQueue>();

  constructor(deps: CallDeps) {
    this.#deps = deps;
    deps.signal.addEventListener('abort', () => this.#queues.forEach(queue => queue.abort()), { once: true });
  }

  /** Ends the calls of a configuration that has changed or was deleted, and drops their answers. What waits for them is reconciled again. */
  end(configuration: string): void {
    this.#queues.get(configuration)?.abort();
    this.#queues.delete(configuration);
    this.#deps.calls.drop(`${ownerPrefix}${configuration}/`);
  }

  /**
   * Calls a webhook about a subject with a request, which is a result of `requestText`, and returns what `read` makes of the response. The result may
   * be that of another call with the same request. Rejects with NotSynced if the answer comes later, with NotYet if too many calls wait or the call
   * was ended, and with an ExpectedError if the webhook cannot be called or refuses, or if its response is invalid.
   */
  ask<T>(hook: InterpreterHook, { subject, request }: Question, read: (response: JsonObject) => Maybe<T>): Promise<T> {
    // The revision counts: a webhook whose configuration has changed may be quick, and its answers may be others.
    const owner = `${ownerPrefix}${hook.revision}`;
    const run = (): Promise<T> => this.#run(hook, request, read);
    return this.#deps.calls.ask({ owner, subject, request, callee: `webhook ${goQuote(hook.name)}`, run });
  }

  async #run<T>(hook: InterpreterHook, request: string, read: (response: JsonObject) => Maybe<T>): Promise<T> {
    const { configuration, name } = hook;
    const queue = this.#queues.get(configuration) ?? new CallQueue();
    this.#queues.set(configuration, queue);
    try {
      return await queue.run({ name, size: request.length }, signal => this.#call(hook, request, read, signal));
    } catch (error) {
      if (queue.isAborted || this.#deps.signal.aborted)
        throw new NotYet(`the call of webhook ${goQuote(name)} was ended: again later`);
      if (!(error instanceof QueueFullError)) throw error;
      throw new NotYet(`too many calls of webhook ${goQuote(name)} are waiting: again later`, fullMs);
    } finally {
      if (queue.isIdle && this.#queues.get(configuration) === queue) this.#queues.delete(configuration);
    }
  }

  async #call<T>(
    hook: InterpreterHook,
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
async function valid<T>(hook: InterpreterHook, read: () => Maybe<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
    throw callError(hook, `received invalid webhook response: ${error.message}`);
  }
}
