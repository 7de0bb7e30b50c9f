import type { Endpoint } from '../../aggregation/interface.js';
import { openHttp1 } from './http1.js';
import { openHttp2 } from './http2.js';
import { commonHeaders, headerLines } from './socket.js';
import type { Done, RequestsTask } from './task.js';
import { filled, requestBytes } from './template.js';

/** A client that sends one request after the other. */
interface Requester {
  send(index: number): Promise<unknown>;
  close(): void;
}

async function http1Askers(
  endpoint: Endpoint,
  { request }: RequestsTask,
  width: number,
): Promise<readonly Requester[]> {
  const bytes = requestBytes(request, headerLines(commonHeaders(endpoint)));
  const connections = await Promise.all(Array.from({ length: width }, () => openHttp1(endpoint)));
  return connections.map((connection, number) => ({
    send: index => connection.send(bytes(index, number)),
    close: () => connection.close(),
  }));
}

async function http2Askers(
  endpoint: Endpoint,
  { request }: RequestsTask,
  width: number,
): Promise<readonly Requester[]> {
  const path = filled(request.path);
  const connection = await openHttp2(endpoint);
  return Array.from({ length: width }, (_, number) => ({
    send: index => connection.send(path(index, number)),
    close: () => connection.close(),
  }));
}

/** hot: runs all requests of a task. `begin` is called when the connections are open and warm. */
export async function runRequests(endpoint: Endpoint, task: RequestsTask, begin: () => void): Promise<Done> {
  const width = Math.min(task.connections, task.count);
  const requesters = await (task.protocol === 'HTTP/2' ? http2Askers : http1Askers)(endpoint, task, width);
  let next = 0;

  async function many(until: number, latencies: Float64Array): Promise<void> {
    const first = next;
    await Promise.all(
      requesters.map(async requester => {
        while (next < until) {
          const index = next++;
          const began = performance.now();
          await requester.send(index);
          latencies[index - first] = performance.now() - began;
        }
      }),
    );
  }

  try {
    await many(task.warm, new Float64Array(task.warm));
    begin();
    const latencies = new Float64Array(task.count);
    const cpu = process.cpuUsage();
    const began = performance.now();
    await many(task.warm + task.count, latencies);
    const seconds = (performance.now() - began) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    return { seconds, latencies, cpuSeconds: (user + system) / 1e6 };
  } finally {
    for (const requester of requesters) requester.close();
  }
}
