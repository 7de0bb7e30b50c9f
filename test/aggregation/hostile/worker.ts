/** A server in its own thread with all behaviours at once: the first segment of a path is the number of the behaviour (`/3/api/v1/pods`). */
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { parentPort, workerData } from 'node:worker_threads';
import { behaviours, ordinary } from './behaviours.js';

const { cert, key } = workerData as { cert: string; key: string };
const requests = behaviours.map(() => 0);
/** Counts the requests of the kind of a behaviour after its first answer: a watch after a list, or the same request again. */
const later = behaviours.map(() => 0);
const isMirror = /\/api\/v1\/pods\?/;

const server = https.createServer({ cert, key }, (request, response) => {
  const [, which = '', path = ''] = /^\/(\d+)(\/.*)$/.exec(request.url ?? '') ?? [];
  const behaviour = behaviours[Number(which)];
  response.on('error', () => undefined);
  const number = Number(which);
  const isMatch = behaviour?.at.test(path) ?? false;
  if ((requests[number] ?? 0) > 0 && (isMatch || isMirror.test(path))) later[number] = (later[number] ?? 0) + 1;
  if (!behaviour || !isMatch) return ordinary(path, response);
  requests[number] = (requests[number] ?? 0) + 1;
  void behaviour.answer(request, response);
});
// Once for each connection, which serves many requests.
server.on('secureConnection', socket => void socket.on('error', () => undefined));
// A warning, such as of listeners that accumulate, fails the test.
process.on('warning', warning => {
  throw warning;
});
server.listen(0, '127.0.0.1', () => parentPort?.postMessage({ port: (server.address() as AddressInfo).port }));
parentPort?.on('message', (message: unknown) => {
  if (message === 'end') {
    server.closeAllConnections();
    server.close(() => parentPort?.close());
  } else parentPort?.postMessage({ requests, later });
});
