/** Prints how long hostile definitions hold the event loop: `node dist/test/large/measure-definitions.js [--only TEXT] [--size N] [--least MS]`. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { definitionsPath } from '../custom-kinds.js';
import { definitions } from './definitions.js';
import { type MeasuredRequest, startMeasured } from './server.js';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    size: { type: 'string', default: '20000' },
    least: { type: 'string', default: '50' },
    node: { type: 'string', default: '' },
  },
});

const folder = await mkdtemp(path.join(os.tmpdir(), 'flagship-nasty-'));
const server = await startMeasured(folder, options.node === '' ? [] : options.node.split(' '));
const collection = '/apis/example.com/v1/namespaces/default/nasties';
const meta = 'g=meta.k8s.io;v=v1';

async function measured(name: string, request: MeasuredRequest): Promise<number> {
  await server.reading();
  const { status, body } = await server.send(request);
  const { longestMs, cpuMs, rss } = await server.reading();
  if (longestMs < Number(options.least)) return status;
  const numbers = [longestMs, cpuMs].map(ms => ms.toFixed(0).padStart(6)).join(' ');
  const message =
    status < 400
      ? ''
      : body
          .toString('utf8', 0, 4000)
          .replace(/.*"message":"/s, '')
          .slice(0, 160);
  process.stdout.write(
    `  ${numbers} ms ${(rss / 1e6).toFixed(0).padStart(5)} MB  ${name}: ${status} ${body.length} ${message}\n`,
  );
  return status;
}

try {
  for (const { name, definition, specs } of definitions(Number(options.size))) {
    if (!name.includes(options.only)) continue;
    const body = JSON.stringify(definition);
    const status = await measured('POST definition', { method: 'POST', path: definitionsPath, body });
    process.stdout.write(`${name}: ${body.length} bytes, ${status}\n`);
    if (status !== 201) continue;
    const one = `${definitionsPath}/nasties.example.com`;
    for (let tries = 0; tries < 100; tries++)
      if ((await server.send({ method: 'GET', path: '/apis/example.com/v1/nasties' })).status === 200) break;
    await measured('OpenAPI v3', { method: 'GET', path: '/openapi/v3/apis/example.com/v1' });
    await measured('OpenAPI v2', { method: 'GET', path: '/openapi/v2' });
    await measured('discovery', {
      method: 'GET',
      path: '/apis',
      accept: `application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`,
    });
    for (const spec of specs) {
      const object = { apiVersion: 'example.com/v1', kind: 'Nasty', metadata: { name: 'n' }, spec };
      const text = JSON.stringify(object);
      await measured('POST', { method: 'POST', path: collection, body: text });
      await measured('Table', { method: 'GET', path: collection, accept: `application/json;as=Table;${meta}` });
      const apply = { method: 'PATCH', type: 'application/apply-patch+yaml', body: text };
      await measured('apply', { ...apply, path: `${collection}/n?fieldManager=m&force=true` });
      await measured('PUT', { method: 'PUT', path: `${collection}/n`, body: text });
      await measured('DELETE', { method: 'DELETE', path: `${collection}/n` });
    }
    await measured('PATCH definition', {
      method: 'PATCH',
      path: one,
      type: 'application/merge-patch+json',
      body: '{"metadata":{"labels":{"a":"b"}}}',
    });
    await measured('DELETE definition', { method: 'DELETE', path: one });
    for (let tries = 0; tries < 1000; tries++)
      if ((await server.send({ method: 'GET', path: one })).status === 404) break;
  }
} finally {
  await server.close();
  await rm(folder, { recursive: true, force: true });
}
