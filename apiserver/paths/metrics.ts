import { Registry } from 'prom-client';
import type { RequestFilter } from '../http/filters.js';
import { sendBody } from '../http/send.js';

/** Serves /metrics: a text in the format of Prometheus. */
export const metrics =
  (text: () => Promise<string>): RequestFilter =>
  async request =>
    sendBody(request, 200, Registry.PROMETHEUS_CONTENT_TYPE, Buffer.from(await text()));
