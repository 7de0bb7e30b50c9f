import { once } from 'node:events';
import http from 'node:http';
import type { Registry } from 'prom-client';
import { metricsText } from '../apiserver/metrics/metrics-text.js';
import type { ListenAddress } from './flags/listen-address.js';
import type { ProbeAddresses } from './flags/probe.js';

/** Milliseconds. as cmd/scheduler-estimator/app */
const headersMs = 32_000;
const requestMs = 5 * 60_000;

const textOf = (address: ListenAddress | undefined): string => (address ? `${address.host ?? ''}:${address.port}` : '');

/** Serves /healthz and /metrics over plain HTTP, on one port if both addresses are the same. Returns a function that ends it. */
export async function serveProbes({ health, metrics }: ProbeAddresses, registry: Registry): Promise<() => void> {
  const healthz = (): Promise<string> => Promise.resolve('ok');
  const scrape = async (): Promise<string> => (await metricsText(registry)).join('');
  const isShared = health !== undefined && textOf(health) === textOf(metrics);
  const servers = [
    ...(health ? [await serve(health, { '/healthz': healthz, ...(isShared && { '/metrics': scrape }) })] : []),
    ...(metrics && !isShared ? [await serve(metrics, { '/metrics': scrape })] : []),
  ];
  return () => {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  };
}

async function serve(
  { host, port }: ListenAddress,
  pages: Readonly<Record<string, () => Promise<string>>>,
): Promise<http.Server> {
  const server = http.createServer({ headersTimeout: headersMs, requestTimeout: requestMs }, (request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
    if (!page) return void response.writeHead(404).end('404 page not found\n');
    page().then(
      text => response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}
