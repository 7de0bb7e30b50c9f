import { Registry } from 'prom-client';
import type { Filter } from '../http/filters.js';
import { send } from '../http/send.js';

/** Serves /metrics: a text in the format of Prometheus. */
export const metrics =
  (text: () => Promise<string>): Filter =>
  async request =>
    send(request, 200, Registry.PROMETHEUS_CONTENT_TYPE, Buffer.from(await text()));
