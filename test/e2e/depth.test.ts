/** Deeply nested bodies. All code handles accepted bodies, also with half of the stack; deeper ones are refused. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { maxDepth } from '../../lib/json/depth.js';
import { runningServer } from '../apiserver/running.js';
import { customKind, definitionsPath, object, text, version } from '../custom-kinds.js';
import { json, merge, protobuf, wire, type Wire } from './wire.js';

const yaml = 'application/yaml';
const apply = 'application/apply-patch+yaml';
const jsonPatch = 'application/json-patch+json';
const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { z: text } };
const definition = customKind('Deep', [
  version(
    'v1',
    object({ spec: { ...free, 'x-kubernetes-validations': [{ rule: '!has(self.z)' }, { rule: 'self == self' }] } }),
  ),
]);
const deeps = '/apis/example.com/v1/namespaces/default/deeps';
const revisions = '/apis/apps/v1/namespaces/default/controllerrevisions';

/** Returns JSON of `levels` nested objects around `inner`. */
const nested = (levels: number, inner = '1'): string => '{"a":'.repeat(levels) + inner + '}'.repeat(levels);
const deep = (name: string, spec: string): string =>
  `{"apiVersion":"example.com/v1","kind":"Deep","metadata":{"name":"${name}"},"spec":${spec}}`;
const revision = (name: string, data: string): string =>
  `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"${name}"},"revision":1,"data":${data}}`;
/** The managed fields of an object are a few levels deeper than the object. */
const maxLevels = maxDepth - 10;

async function started(t: Test): Promise<Wire> {
  const client = wire(t, await runningServer(t));
  const made = await client.send(`POST ${definitionsPath}`, { body: definition, type: json, accept: json });
  t.equal(made.status, 201, made.bytes.toString());
  return client;
}

t.test('accepted bodies are handled by all requests', async t => {
  const client = await started(t);
  const does = async (what: string, body?: string, type = json, accept = json): Promise<void> => {
    const { status, bytes } = await client.send(what, { accept, ...(body !== undefined && { body, type }) });
    t.ok(status < 300, `${what} ${type} ${accept}: ${status} ${status < 300 ? '' : bytes.toString().slice(0, 300)}`);
  };
  const path = `${deeps}/o`;
  await does(`POST ${deeps}`, deep('o', nested(maxLevels)));
  await does(`POST ${deeps}`, deep('l', '{"a":[[{"b":'.repeat(maxLevels / 4) + '1.5' + '}]]}'.repeat(maxLevels / 4)));
  await does(`POST ${deeps}?fieldValidation=Strict`, deep('big', nested(maxLevels, '9223372036854775807')));
  await does(`POST ${deeps}`, deep('y', nested(290)), yaml);
  await does(`GET ${path}`);
  await does(`GET ${path}?pretty=1`);
  await does(`GET ${path}`, undefined, json, yaml);
  await does(`GET ${deeps}`, undefined, json, `${json};as=Table;g=meta.k8s.io;v=v1`);
  await does(`PATCH ${path}`, `{"spec":${nested(maxLevels, '2')}}`, merge);
  const spec = nested(maxLevels - 20, '3');
  const operations = ['replace', 'test'].map(op => `{"op":"${op}","path":"/spec","value":${spec}}`);
  await does(`PATCH ${path}`, `[${operations.join()}]`, jsonPatch);
  for (const value of ['4', '5'])
    await does(`PATCH ${path}?fieldManager=m&force=true`, deep('o', nested(maxLevels, value)), apply);
  await does(`DELETE ${path}`);

  await does(`POST ${revisions}`, revision('r', nested(maxLevels, '1.0')));
  for (const type of [merge, 'application/strategic-merge-patch+json'])
    await does(`PATCH ${revisions}/r`, `{"metadata":{"labels":{"a":"${type.length}"}}}`, type);
  await does(`GET ${revisions}/r`, undefined, json, protobuf);

  const levels = (maxLevels - 20) / 2;
  const schema = '{"type":"object","properties":{"a":'.repeat(levels) + '{"type":"string"}' + '}}'.repeat(levels);
  const body = JSON.stringify(customKind('Steep', [version('v1', {})])).replace(
    '"openAPIV3Schema":{}',
    `"openAPIV3Schema":${schema}`,
  );
  await does(`POST ${definitionsPath}`, body);
  await does(`GET ${definitionsPath}/steeps.example.com`, undefined, json, protobuf);
  await does('GET /openapi/v3/apis/example.com/v1');
});

t.test('deeper bodies are refused', async t => {
  const client = await started(t);
  const tooDeep = /exceeded max depth/;
  const refused = async (
    what: string,
    body: string | Buffer,
    type: string,
    expect = tooDeep,
    code = 400,
  ): Promise<void> => {
    const { status, object } = await client.send(what, { body, type, accept: json });
    t.equal(status, code, `${what} ${type}`);
    t.match(object.message, expect);
  };
  const list = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  const lines = (levels: number): string => Array.from({ length: levels }, (_, i) => `${' '.repeat(i)}a:`).join('\n');
  for (const levels of [maxDepth, 2000, 40_000]) {
    await refused(`POST ${deeps}`, deep('x', nested(levels)), json);
    await refused(`POST ${revisions}`, revision('x', nested(levels)), json);
    await refused(`PATCH ${deeps}/x`, `{"spec":${nested(levels)}}`, merge);
    for (const [what, type] of [
      [`POST ${deeps}`, yaml],
      [`PATCH ${deeps}/x?fieldManager=m`, apply],
    ] as const) {
      await refused(what, deep('x', nested(levels)), type);
      await refused(what, list(levels), type);
      await refused(what, '- '.repeat(levels), type);
      await refused(what, '? '.repeat(levels), type, /invalid map key|exceeded max depth/);
    }
  }
  await refused(`POST ${deeps}`, lines(1000), yaml);
  await refused(`POST ${definitionsPath}`, deepSchema(2000), protobuf);

  // Each operation copies the value that the previous one made deeper.
  await client.send(`POST ${deeps}`, { body: deep('grows', nested(100)), type: json, accept: json });
  const copy = { op: 'copy', from: '/spec', path: `/spec${'/a'.repeat(99)}` };
  const move = [
    { op: 'add', path: '/c', value: {} },
    { op: 'move', from: '/spec', path: '/c/spec' },
    { op: 'move', from: '/c', path: '/spec' },
  ];
  for (const operations of [Array(20).fill(copy), Array(1000).fill(move).flat()])
    await refused(`PATCH ${deeps}/grows`, JSON.stringify(operations), jsonPatch, tooDeep, 422);
  const few = await client.send(`PATCH ${deeps}/grows`, {
    body: JSON.stringify([copy, ...move]),
    type: jsonPatch,
    accept: json,
  });
  t.equal(few.status, 200, few.bytes.toString().slice(0, 300));
});

/** Returns a definition in protobuf whose schema has `levels` nested schemas. */
function deepSchema(levels: number): Buffer {
  let bytes: Buffer = Buffer.alloc(0);
  const block = (tag: number, inner: Buffer): Buffer => {
    const length: number[] = [];
    for (let rest = inner.length; ; rest >>>= 7) {
      length.push(rest > 127 ? (rest & 127) | 128 : rest);
      if (rest <= 127) break;
    }
    return Buffer.concat([Buffer.from([...varint(tag * 8 + 2), ...length]), inner]);
  };
  for (let i = 0; i < levels; i++) bytes = block(28, bytes); // not
  for (const tag of [1, 4, 7, 2]) bytes = block(tag, bytes); // openAPIV3Schema, schema, versions, spec
  const type = Buffer.concat([
    block(1, Buffer.from('apiextensions.k8s.io/v1')),
    block(2, Buffer.from('CustomResourceDefinition')),
  ]);
  return Buffer.concat([Buffer.from('k8s\0'), block(1, type), block(2, bytes)]);
}

const varint = (value: number): number[] => (value > 127 ? [(value & 127) | 128, value >>> 7] : [value]);

if (!process.execArgv.some(arg => arg.startsWith('--stack-size')))
  t.test('the tests pass with half of the stack', async t => {
    const file = fileURLToPath(import.meta.url);
    const { stdout } = await promisify(execFile)(process.execPath, ['--stack-size=492', file], { env: {} });
    t.match(stdout, /\n# \{ total: \d+, pass: \d+ \}/);
  });
