/** Large and pathological objects against a server process whose event loop is measured. */
import t, { type Test } from 'tap';
import { temporaryFolder } from '../apiserver/running.js';
import { definitionsPath } from '../custom-kinds.js';
import { maxObjectValues } from '../../apimachinery/meta/values.js';
import { definitions } from '../large/definitions.js';
import { type MeasuredAnswer, type MeasuredRequest, type MeasuredServer, startMeasured } from '../large/server.js';
import { nativeShapes } from '../large/shapes/native.js';
import { type Shape, grown } from '../large/shapes/shape.js';
import { stepsOf } from '../large/steps.js';

/** Maximum CPU milliseconds of the main thread for one request, without major collections, on a machine as fast as the one that set the limits. */
const maxMs = 150;
const maxAnswer = 512 * 1024;

async function serve(t: Test): Promise<MeasuredServer> {
  const server = await startMeasured(await temporaryFolder(t));
  t.teardown(() => server.close());
  return server;
}

async function measured(
  t: Test,
  server: MeasuredServer,
  name: string,
  request: MeasuredRequest,
): Promise<MeasuredAnswer> {
  await server.reading('slowness');
  const answer = await server.send(request);
  const { longestMs, slowness } = await server.reading();
  t.ok(longestMs < maxMs * slowness, `${name}: ${longestMs.toFixed(0)} ms, slowness ${slowness.toFixed(1)}`);
  return answer;
}

const shapeOf = (name: string): Shape => {
  const found = nativeShapes.find(shape => shape.name === name);
  if (!found) throw new Error(`there is no shape ${name}`);
  return found;
};

const messageOf = ({ body }: MeasuredAnswer): string =>
  (JSON.parse(body.toString()) as { message?: string }).message ?? '';

t.test('objects with too many values are refused before they are processed', async t => {
  const server = await serve(t);
  const refusal = `Request entity too large: an object may consist of at most ${maxObjectValues} JSON values`;
  for (const name of ['metadata/bad labels', 'deployment/containers', 'config map/keys', 'metadata/controllers']) {
    const shape = shapeOf(name);
    const steps = [...stepsOf(shape, grown(shape, { bytes: 3_000_000, values: 10 * maxObjectValues }))];
    for (const wanted of ['POST', 'POST protobuf', 'apply, large', 'merge patch, large']) {
      const step = steps.find(step => step.name === wanted);
      if (!step) throw new Error(`there is no step ${wanted}`);
      const answered = await measured(t, server, `${name}, ${wanted}`, step.request);
      t.equal(answered.status, 413, `${name}, ${wanted}`);
      if (wanted !== 'POST protobuf') t.equal(messageOf(answered), refusal);
    }
  }
});

t.test('the largest accepted objects take bounded time in all requests, with bounded answers', async t => {
  const server = await serve(t);
  for (const name of ['metadata/bad labels', 'metadata/controllers', 'metadata/managed fields', 'deployment/env']) {
    const shape = shapeOf(name);
    const large = grown(shape, { bytes: 3_000_000, values: maxObjectValues });
    for (const step of stepsOf(shape, large)) {
      const { status, body } = await measured(t, server, `${name}, ${step.name}`, step.request);
      t.not(status, 500, `${name}, ${step.name}: ${body.toString('utf8', 0, 200)}`);
      if (status >= 400) t.ok(body.length < maxAnswer, `${name}, ${step.name}: ${body.length} bytes`);
    }
  }
});

t.test('pathological custom resources take bounded time', async t => {
  const server = await serve(t);
  const wanted = new Set(['nots', 'junctors in junctors', 'any of in list', 'default in items', 'enum in list']);
  for (const { name, definition, specs } of definitions(5000)) {
    if (!wanted.has(name)) continue;
    const request = { method: 'POST', path: definitionsPath, body: JSON.stringify(definition) };
    const { status } = await measured(t, server, `${name}: definition`, request);
    t.equal(status, 201, name);
    for (const spec of specs) {
      const body = JSON.stringify({ apiVersion: 'example.com/v1', kind: 'Nasty', metadata: { name: 'n' }, spec });
      const path = '/apis/example.com/v1/namespaces/default/nasties?dryRun=All';
      const answered = await measured(t, server, `${name}: object`, { method: 'POST', path, body });
      if (answered.status >= 400) t.ok(answered.body.length < maxAnswer, `${name}: ${answered.body.length} bytes`);
    }
    const one = `${definitionsPath}/nasties.example.com`;
    await server.send({ method: 'DELETE', path: one });
    for (let status = 200; status !== 404;) {
      await server.reading();
      ({ status } = await server.send({ method: 'GET', path: one }));
    }
  }
});
