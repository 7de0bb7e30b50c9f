import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import type { BackendUpgraded } from '../../../apiserver/interface.js';
import type { AnswerHandler, Pool, PoolRequest, RequestController } from './pool.js';

/** Bytes of the body of a refusal that are kept. */
const maxBodyBytes = 50_000;

/** The server has not answered in time. */
export class AnswerTimeout extends Error {
  constructor() {
    super('net/http: timeout awaiting response headers');
  }
}

interface UpgradeOptions {
  readonly pool: Pool;
  readonly request: PoolRequest & { readonly upgrade: string };
  /** Milliseconds until the answer begins; 0: no limit. */
  readonly headMs: number;
  readonly signal: AbortSignal;
}

/** Waits for the answer to one upgrade. */
class UpgradeAttempt implements AnswerHandler {
  readonly done: Promise<BackendUpgraded>;
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #onAbort = (): void => this.#fail(this.#signal.reason as Error);
  #controller: RequestController | undefined;
  #resolve!: (answer: BackendUpgraded) => void;
  #reject!: (error: Error) => void;
  #failure: Error | undefined;
  #isDone = false;
  #status = 0;
  #body = '';

  constructor(signal: AbortSignal, headMs: number) {
    this.#signal = signal;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const late = (): void => this.#fail(new AnswerTimeout());
    if (headMs > 0) this.#timer = setTimeout(late, headMs);
    signal.addEventListener('abort', this.#onAbort);
    if (signal.aborted) this.#onAbort();
  }

  onRequestStart(controller: RequestController): void {
    this.#controller = controller;
    if (this.#failure) controller.abort(this.#failure);
  }

  onResponseStart(_controller: RequestController, status: number): void {
    this.#status = status;
  }

  onResponseData(controller: RequestController, chunk: Buffer): void {
    this.#body += chunk.subarray(0, maxBodyBytes).toString('latin1');
    if (this.#body.length > maxBodyBytes) controller.abort(new Error('the answer is too long'));
  }

  onResponseEnd(): void {
    this.#settle(() => this.#resolve({ status: this.#status, body: Buffer.from(this.#body, 'latin1').toString() }));
  }

  onResponseError(_controller: RequestController, error: Error): void {
    if (this.#status >= 200) this.onResponseEnd();
    else this.#settle(() => this.#reject(error));
  }

  onRequestUpgrade(
    _controller: RequestController,
    _status: number,
    headers: IncomingHttpHeaders,
    socket: Duplex,
  ): void {
    if (this.#isDone) return void socket.destroy();
    this.#settle(() => this.#resolve({ socket, headers }));
  }

  #fail(error: Error): void {
    this.#failure = error;
    this.#settle(() => this.#reject(error));
    this.#controller?.abort(error);
  }

  #settle(outcome: () => void): void {
    if (this.#isDone) return;
    this.#isDone = true;
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#onAbort);
    outcome();
  }
}

/** Upgrades a connection. Rejects with the error of the connection. */
export function upgradeConnection({ pool, request, headMs, signal }: UpgradeOptions): Promise<BackendUpgraded> {
  const attempt = new UpgradeAttempt(signal, headMs);
  pool.dispatch(request, attempt);
  return attempt.done;
}
