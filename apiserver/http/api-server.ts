import type { RequestFilter } from './filters.js';
import { listen, type Listener, type ListenerOptions } from './listener.js';
import { Serving, type ServingEvents } from './serve.js';

export interface ApiServerOptions extends Omit<ListenerOptions, 'serve'>, ServingEvents {
  readonly filters: readonly RequestFilter[];
  /** New connections are accepted until all requests are answered, so that their requests get a 429 with Retry-After. */
  readonly staysOpen?: boolean;
  /** Called when the stop begins. */
  readonly onStop?: () => void;
}

export interface ApiServer extends Pick<
  Listener,
  'host' | 'port' | 'ownPort' | 'renew' | 'retire' | 'pause' | 'resume'
> {
  readonly inFlight: number;
  /**
   * Stops in order: no new connections, watches end cleanly, requests are answered, then connections close. Requests that take longer
   * than `timeoutMs` are cut off.
   */
  readonly stop: (timeoutMs: number) => Promise<void>;
}

/** Opens the port: requests are served from now on. Rejects with the system's error when the port is not available. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const served = new Serving(options.filters, options);
  const listener = await listen({ ...options, serve: exchange => served.serve(exchange) });

  const stop = async (timeoutMs: number): Promise<void> => {
    options.onStop?.();
    const drained = options.staysOpen
      ? served.drain().then(() => listener.drain())
      : Promise.all([listener.drain(), served.drain()]);
    let timer: NodeJS.Timeout | undefined;
    const timedOut = new Promise<void>(resolve => (timer = setTimeout(resolve, timeoutMs)));
    await Promise.race([drained, timedOut]);
    clearTimeout(timer);
    await listener.close();
    served.close();
  };

  return {
    host: listener.host,
    port: listener.port,
    ownPort: listener.ownPort,
    renew: (certificate, key) => listener.renew(certificate, key),
    retire: () => listener.retire(),
    pause: () => listener.pause(),
    resume: () => listener.resume(),
    get inFlight() {
      return served.inFlight;
    },
    stop,
  };
}
