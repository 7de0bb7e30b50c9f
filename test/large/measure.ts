/** Prints how long large objects hold the event loop of a server: `node dist/test/large/measure.js [--only TEXT] [--values N] [--least MS]`. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { definitionsPath } from '../custom-kinds.js';
import { type MeasuredAnswer, startMeasured } from './server.js';
import { customShapes, largeKind } from './shapes/custom.js';
import { karmadaShapes } from './shapes/karmada.js';
import { nativeShapes } from './shapes/native.js';
import { grown, valuesIn } from './shapes/shape.js';
import { stepsOf } from './steps.js';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    step: { type: 'string', default: '' },
    values: { type: 'string', default: '4000000' },
    bytes: { type: 'string', default: '3000000' },
    least: { type: 'string', default: '50' },
    node: { type: 'string', default: '' },
  },
});

const folder = await mkdtemp(path.join(os.tmpdir(), 'flagship-large-'));
const server = await startMeasured(folder, options.node === '' ? [] : options.node.split(' '));
const summary = ({ status, body }: MeasuredAnswer): string =>
  status < 400
    ? `${status} ${body.length}`
    : `${status} ${body.length} ${body
        .toString('utf8', 0, 4000)
        .replace(/.*"message":"/s, '')
        .slice(0, 90)}`;
try {
  await server.send({ method: 'POST', path: definitionsPath, body: JSON.stringify(largeKind) });
  for (let tries = 0; tries < 100; tries++)
    if ((await server.send({ method: 'GET', path: '/apis/example.com/v1/larges' })).status === 200) break;
  const budget = { bytes: Number(options.bytes), values: Number(options.values) };
  for (const shape of [...nativeShapes, ...karmadaShapes, ...customShapes]) {
    if (!shape.name.includes(options.only)) continue;
    const large = grown(shape, budget);
    process.stdout.write(`${shape.name}: ${JSON.stringify(large).length} bytes, ${valuesIn(large)} values\n`);
    const { slowness } = await server.reading('slowness');
    for (const { name, request } of stepsOf(shape, large)) {
      await server.reading();
      const began = performance.now();
      const answer = await server.send(request);
      const tookMs = performance.now() - began;
      const { longestMs, cpuMs, rss } = await server.reading();
      if (longestMs / slowness < Number(options.least) || !name.includes(options.step)) continue;
      const numbers = [longestMs / slowness, longestMs, cpuMs, tookMs].map(ms => ms.toFixed(0).padStart(6)).join(' ');
      process.stdout.write(`  ${numbers} ms ${(rss / 1e6).toFixed(0).padStart(5)} MB  ${name}: ${summary(answer)}\n`);
    }
  }
} finally {
  await server.close();
  await rm(folder, { recursive: true, force: true });
}
