/** Bodies in YAML of all sizes, over a socket. */
import t from 'tap';
import { readYamlBody } from '../../../apiserver/handlers/yaml-body.js';
import { OffloadError, type OffloadFailure } from '../../../lib/offload/error.js';
import { longestStall } from '../../lib/longest-stall.js';
import { httpClient } from '../http-client.js';
import { runningServer } from '../running.js';

const maps = '/api/v1/namespaces/default/configmaps';
const type = 'application/yaml';
const apply = 'application/apply-patch+yaml';
const maxBytes = 3 * 1024 * 1024;

const server = await runningServer(t);
const ask = httpClient(t, server);

const configMap = (name: string, keys: number): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n${Array.from({ length: keys }, (_, i) => `  k${i}: "é${i}"\n`).join('')}`;

t.test('large bodies are decoded like small ones', async t => {
  for (const [name, keys] of [
    ['small', 10],
    ['large', 10_000],
  ] as const) {
    const body = configMap(name, keys);
    const created = await ask(`POST ${maps}`, { type, body });
    t.equal(created.status, 201, created.text.slice(0, 300));
    t.equal(Object.keys(created.json['data'] as object).length, keys);
    t.match(created.json, { data: { [`k${keys - 1}`]: `é${keys - 1}` } });
    const twice = await ask(`PUT ${maps}/${name}`, { type, body: `${body}  k1: again\n` });
    t.equal(twice.status, 200);
    t.match(twice.headers['warning'], `line ${keys + 6}: key \\"k1\\" already set in map`);
    t.match(twice.json, { data: { k1: 'again' } });
    const strict = await ask(`PUT ${maps}/${name}?fieldValidation=Strict`, { type, body: `${body}  k1: again\n` });
    t.match(strict.json, { code: 400, message: /yaml: unmarshal errors:\n {2}line \d+: key "k1" already set in map/ });
    const wrong = await ask(`PUT ${maps}/${name}`, { type, body: `${body} x: y\n` });
    t.match(wrong.json, { code: 400, message: /unrecognized .*: yaml: line \d+: did not find expected key \(/ });
    const applied = await ask(`PATCH ${maps}/${name}?fieldManager=m&force=true`, { type: apply, body });
    t.match(applied.json, { data: { k1: 'é1' } });
    const unread = await ask(`PATCH ${maps}/${name}?fieldManager=m`, { type: apply, body: `${body} x: y\n` });
    t.match(unread.json, { code: 400, message: /^error decoding YAML: error converting YAML to JSON: yaml: line / });
  }
});

/** Bodies of the maximum size, or slightly below it. */
const hostile: Readonly<Record<string, string>> = {
  'closing braces': '}'.repeat(maxBytes),
  'opening braces': '{'.repeat(maxBytes),
  quotes: '"'.repeat(maxBytes - 1),
  documents: '---\n'.repeat(maxBytes / 4),
  comments: '#\n'.repeat(maxBytes / 2),
  'a flow list that is not closed': `[${'1,'.repeat(maxBytes / 2 - 1)}`,
  'items without values': '-\n'.repeat(maxBytes / 2),
  'repeated keys': 'k: v\n'.repeat(maxBytes / 5),
  aliases: `a: &a ${'x'.repeat(1000)}\nb:\n${'- *a\n'.repeat(100_000)}`,
};

t.test('hostile bodies do not hold the event loop', async t => {
  for (const [name, body] of Object.entries(hostile)) {
    let status = 0;
    const post = async (): Promise<void> => void ({ status } = await ask(`POST ${maps}`, { type, body }));
    const stall = await longestStall(100, post); // The client runs in this thread, too.
    t.ok([400, 413, 422].includes(status), `${name}: ${status}`);
    t.ok(stall < 100, `${name}: ${stall.toFixed(0)} ms`);
  }
});

t.test('a body over the limit', async t => {
  t.equal((await ask(`POST ${maps}`, { type, body: ' '.repeat(maxBytes + 1) })).status, 413);
  const amplified = `a: &a ${'x'.repeat(100_000)}\nb: [${'*a,'.repeat(60)}]`;
  const { json } = await ask(`POST ${maps}`, { type, body: amplified });
  t.match(json, { code: 413, message: 'Request entity too large: limit is 3145728' });
});

t.test('the Status for a body that cannot be parsed', async t => {
  const caller = { user: { name: 'u', groups: [] }, signal: new AbortController().signal };
  const failure = async (reason: OffloadFailure): Promise<unknown> => {
    const offload = { run: () => Promise.reject(new OffloadError(reason, 'why')) };
    return readYamlBody(offload, caller, Buffer.alloc(maxBytes, '#')).catch((error: unknown) => error);
  };
  t.match(await failure('full'), { code: 429, status: { details: { retryAfterSeconds: 1 } } });
  t.match(await failure('closed'), { code: 429 });
  t.match(await failure('late'), { code: 413 });
  t.match(await failure('memory'), { code: 413 });
  t.match(await failure('failed'), { reason: 'failed' });
});
