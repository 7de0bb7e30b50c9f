/** A server that misbehaves in all ways at once: the first part of a path says in which (`/3/api/v1/pods`). In a thread of its own. */
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { behaviours, ordinary } from './behaviours.js';

const { cert, key } = workerData as { cert: string; key: string };
const asked = behaviours.map(() => 0);

const server = https.createServer({ cert, key }, (request, response) => {
  const [, which = '', path = ''] = /^\/(\d+)(\/.*)$/.exec(request.url ?? '') ?? [];
  const behaviour = behaviours[Number(which)];
  response.on('error', () => undefined);
  request.socket.on('error', () => undefined);
  if (!behaviour?.at.test(path)) return ordinary(path, response);
  asked[Number(which)] = (asked[Number(which)] ?? 0) + 1;
  void behaviour.answer(request, response);
});
server.listen(0, '127.0.0.1', () => parentPort?.postMessage({ port: (server.address() as AddressInfo).port }));
parentPort?.on('message', (message: unknown) => {
  if (message === 'end') {
    server.closeAllConnections();
    server.close(() => parentPort?.close());
  } else parentPort?.postMessage({ asked });
});
