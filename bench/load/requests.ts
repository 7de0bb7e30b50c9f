import type { Endpoint } from '../../aggregation/interface.js';
import { openHttp1 } from './http1.js';
import { commonHeaders, headerLines } from './socket.js';
import type { Done, RequestsTask } from './task.js';
import { requestBytes } from './template.js';

/** hot: all requests of a task. `begin` is called when the connections stand and are warm. */
export async function runRequests(endpoint: Endpoint, task: RequestsTask, begin: () => void): Promise<Done> {
  const bytes = requestBytes(task.request, headerLines(commonHeaders(endpoint)));
  const width = Math.min(task.connections, task.count);
  const connections = await Promise.all(Array.from({ length: width }, () => openHttp1(endpoint)));
  let next = 0;

  async function many(until: number, latencies: Float64Array): Promise<void> {
    const first = next;
    await Promise.all(
      connections.map(async (connection, number) => {
        while (next < until) {
          const index = next++;
          const request = bytes(index, number);
          const began = performance.now();
          await connection.ask(request);
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
    for (const connection of connections) connection.close();
  }
}
