import type { Filter } from './filters.js';
import { listen, type Listener, type ListenerOptions } from './listener.js';
import { serving, type ServingEvents } from './serve.js';

export interface ApiServerOptions extends Omit<ListenerOptions, 'serve'>, ServingEvents {
  readonly filters: readonly Filter[];
  /** New connections are taken until what was asked is answered: there is something to say to whoever comes. */
  readonly staysOpen?: boolean;
  /** Called when it begins to stop. */
  readonly onStop?: () => void;
}

export interface ApiServer extends Pick<Listener, 'host' | 'port' | 'renew' | 'retire' | 'pause' | 'resume'> {
  readonly inFlight: number;
  /**
   * Stops in order: no new connections, watches end cleanly, requests are answered, then connections close. What takes longer than
   * `patience` milliseconds is cut off.
   */
  stop(patience: number): Promise<void>;
}

/** Opens the port: from now on requests go through the filters. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const served = serving(options.filters, options);
  const listener = await listen({ ...options, serve: served.serve });

  const stop = async (patience: number): Promise<void> => {
    options.onStop?.();
    const drained = options.staysOpen
      ? served.drain().then(listener.drain)
      : Promise.all([listener.drain(), served.drain()]);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>(resolve => (timer = setTimeout(resolve, patience)));
    await Promise.race([drained, late]);
    clearTimeout(timer);
    await listener.close();
    served.close();
  };

  return {
    host: listener.host,
    port: listener.port,
    renew: listener.renew,
    retire: listener.retire,
    pause: listener.pause,
    resume: listener.resume,
    get inFlight() {
      return served.inFlight;
    },
    stop,
  };
}
