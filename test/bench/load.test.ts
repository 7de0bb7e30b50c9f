/** The load process against servers of Node.js. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { startLoad } from '../../bench/load/start-load.js';
import type { Task } from '../../bench/load/task.js';

async function serve(t: Test, listener: http.RequestListener): Promise<string> {
  const server = http.createServer(listener).listen(0, '127.0.0.1');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

// The load process runs one order at a time, so these tests run one after the other.
t.test('the load process', async t => {
  const load = startLoad();
  t.teardown(() => load.close());

  const run = async (server: string, task: Task): Promise<readonly [begun: number, latencies: Float64Array]> => {
    let begun = 0;
    const { latencies } = await load.run({ endpoint: { server, token: 'secret' }, task }, () => begun++);
    return [begun, latencies];
  };

  await t.test('every request is made once, with its number and its connection', async t => {
    const seen: string[] = [];
    const server = await serve(t, (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        seen.push(`${request.method} ${request.url} ${request.headers.authorization} ${body}`);
        response.end('{}');
      });
    });
    const request = { method: 'POST', path: '/a/{i}', body: '{"n":"{i}"}' };
    const [begun, latencies] = await run(server, { type: 'requests', request, connections: 3, count: 20, warm: 5 });
    t.equal(begun, 1);
    t.same(seen.sort(), Array.from({ length: 25 }, (_, i) => `POST /a/${i} Bearer secret {"n":"${i}"}`).sort());
    t.equal(latencies.length, 20);
    t.ok(latencies.every(ms => ms > 0));
  });

  await t.test('a refusal is said', async t => {
    const server = await serve(t, (_request, response) => void response.writeHead(409).end('it stands there'));
    const request = { method: 'GET', path: '/' };
    await t.rejects(run(server, { type: 'requests', request, connections: 1, count: 1, warm: 0 }), {
      message: '409 it stands there',
    });
  });

  await t.test('a delivery is an event at a watcher', async t => {
    const watching = new Set<http.ServerResponse>();
    const server = await serve(t, (request, response) => {
      if (request.method === 'POST') {
        for (const watch of watching) {
          watch.write('{"type":"BOOKMARK"}\n{"type":');
          watch.write('"ADDED"}\n');
        }
        response.end('{}');
      } else {
        watching.add(response);
        response.flushHeaders();
      }
    });
    const write = { method: 'POST', path: '/' };
    const task = { type: 'watch', path: '/', watchers: 4, connections: 0, write, perSecond: 1000, count: 5 } as const;
    const [begun, latencies] = await run(server, task);
    t.equal(begun, 1);
    t.equal(latencies.length, 20);
    t.ok(latencies.every(ms => ms > 0));
  });
});
