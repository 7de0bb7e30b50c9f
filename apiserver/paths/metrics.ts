import type { Registry } from 'prom-client';
import type { Filter } from '../http/filters.js';
import { send } from '../http/send.js';

/** /metrics, of all registries: that of the server, and that of the process. */
export const metrics =
  (registries: readonly Registry[]): Filter =>
  async request => {
    const texts = await Promise.all(registries.map(registry => registry.metrics()));
    const type = registries[0]?.contentType ?? 'text/plain; version=0.0.4';
    await send(request, 200, type, Buffer.from(texts.join('')));
  };
