/** A server in its own thread with all behaviours at once: the first segment of a path is the number of the behaviour (`/3/api/v1/pods`). */
import http2 from 'node:http2';
import https from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import type tls from 'node:tls';
import { parentPort, workerData } from 'node:worker_threads';
import { behaviours, ordinary } from './behaviours.js';
import { frameBehaviours } from './frame-behaviours.js';
import { frameServer } from './frame-server.js';
import type { Protocol } from './server.js';

const { cert, key, protocol } = workerData as { cert: string; key: string; protocol: Protocol };
const ways = protocol === 'frames' ? frameBehaviours : behaviours;
const requests = ways.map(() => 0);
/** Counts the requests of the kind of a behaviour after its first answer: a watch after a list, or the same request again. */
const later = ways.map(() => 0);
const isMirror = /\/api\/v1\/pods\?/;

/** Counts a request. Returns its path below the number, and that number if the behaviour answers it. */
function take(url: string): { readonly path: string; readonly way: number | undefined } {
  const [, which = '', path = ''] = /^\/(\d+)(\/.*)$/.exec(url) ?? [];
  const number = Number(which);
  const isMatch = ways[number]?.at.test(path) ?? false;
  if ((requests[number] ?? 0) > 0 && (isMatch || isMirror.test(path))) later[number] = (later[number] ?? 0) + 1;
  if (isMatch) requests[number] = (requests[number] ?? 0) + 1;
  return { path, way: isMatch ? number : undefined };
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  response.on('error', () => undefined);
  const { path, way } = take(request.url ?? '');
  const behaviour = way === undefined ? undefined : behaviours[way];
  if (behaviour) void behaviour.answer(request, response);
  else ordinary(path, response);
}

const sockets = new Set<tls.TLSSocket>();
const servers: Readonly<Record<Protocol, () => tls.Server>> = {
  'http/1.1': () => https.createServer({ cert, key }, answer),
  // The requests and answers of HTTP/2 have the same methods.
  h2: () => http2.createSecureServer({ cert, key }, answer as never).on('sessionError', () => undefined),
  frames: () => frameServer({ cert, key }, take),
};

const server = servers[protocol]();
server.on('secureConnection', (socket: tls.TLSSocket) => {
  sockets.add(socket.on('error', () => undefined));
  socket.once('close', () => sockets.delete(socket));
});
// A warning, such as of listeners that accumulate, fails the test.
process.on('warning', warning => {
  throw warning;
});
server.listen(0, '127.0.0.1', () => parentPort?.postMessage({ port: (server.address() as AddressInfo).port }));
parentPort?.on('message', (message: unknown) => {
  if (message === 'end') {
    for (const socket of sockets) socket.destroy();
    server.close(() => parentPort?.close());
  } else parentPort?.postMessage({ requests, later });
});
