import type { TLSSocket } from 'node:tls';
import { Http2Pool, type Http2PoolOptions } from './h2/pool.js';
import type { AnswerHandler, Pool, PoolRequest } from './pool.js';

interface NegotiatedPoolOptions extends Omit<Http2PoolOptions, 'onHttp1'> {
  /** Opens the pool for HTTP/1.1. `takeSocket` returns a connected socket that it may use instead of a new one. */
  readonly openHttp1: (takeSocket: () => TLSSocket | undefined) => Pool;
  /** Called when the pool is destroyed, with its connections. */
  readonly onDestroy?: () => void;
}

/**
 * Connections to one server that use HTTP/2 if the server does. The first connection decides, by ALPN: a server without HTTP/2 is reached over HTTP/1.1
 * from then on. Upgrades always use HTTP/1.1.
 */
export class NegotiatedPool implements Pool {
  readonly #openHttp1: NegotiatedPoolOptions['openHttp1'];
  readonly #onDestroy: NegotiatedPoolOptions['onDestroy'];
  readonly #http2: Http2Pool;
  #http1: Pool | undefined;
  #isHttp1 = false;
  /** The connection that has shown that the server lacks HTTP/2, until it is used. */
  #spare: TLSSocket | undefined;

  constructor({ openHttp1, onDestroy, ...options }: NegotiatedPoolOptions) {
    this.#openHttp1 = openHttp1;
    this.#onDestroy = onDestroy;
    this.#http2 = new Http2Pool({
      ...options,
      onHttp1: (socket, waiting) => {
        this.#isHttp1 = true;
        this.#spare?.destroy();
        this.#spare = socket;
        for (const stream of waiting) this.#useHttp1().dispatch(stream.request, stream.handOver());
      },
    });
  }

  /** hot: every request to a member. */
  dispatch(request: PoolRequest, handler: AnswerHandler): void {
    const pool = this.#isHttp1 || request.upgrade !== undefined ? this.#useHttp1() : this.#http2;
    pool.dispatch(request, handler);
  }

  occupiesConnection({ upgrade }: PoolRequest): boolean {
    return upgrade !== undefined || this.#http2.occupiesConnection();
  }

  #useHttp1(): Pool {
    return (this.#http1 ??= this.#openHttp1(() => {
      const spare = this.#spare;
      this.#spare = undefined;
      return spare?.destroyed === false ? spare : undefined;
    }));
  }

  async close(): Promise<void> {
    this.#spare?.destroy();
    await Promise.all([this.#http2.close(), this.#http1?.close()]);
    this.#onDestroy?.();
  }

  async destroy(): Promise<void> {
    this.#spare?.destroy();
    this.#onDestroy?.();
    await Promise.all([this.#http2.destroy(), this.#http1?.destroy()]);
  }
}
