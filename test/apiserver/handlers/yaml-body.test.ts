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
const most = 3 * 1024 * 1024;

const server = await runningServer(t);
const ask = httpClient(t, server);

const configMap = (name: string, keys: number): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n${Array.from({ length: keys }, (_, i) => `  k${i}: "é${i}"\n`).join('')}`;

t.test('large bodies mean what small ones mean', async t => {
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

/** `body`: of the size that is the limit, or of one near it. */
const hostile: Readonly<Record<string, string>> = {
  'closing braces': '}'.repeat(most),
  'opening braces': '{'.repeat(most),
  quotes: '"'.repeat(most - 1),
  documents: '---\n'.repeat(most / 4),
  comments: '#\n'.repeat(most / 2),
  'a flow list that is not closed': `[${'1,'.repeat(most / 2 - 1)}`,
  'items without values': '-\n'.repeat(most / 2),
  'repeated keys': 'k: v\n'.repeat(most / 5),
  aliases: `a: &a ${'x'.repeat(1000)}\nb:\n${'- *a\n'.repeat(100_000)}`,
};

t.test('hostile bodies do not hold the event loop', async t => {
  for (const [name, body] of Object.entries(hostile)) {
    let status = 0;
    const post = async (): Promise<void> => void ({ status } = await ask(`POST ${maps}`, { type, body }));
    // The client runs in this thread, too, and its garbage is collected now and then.
    const stall = Math.min(await longestStall(post), await longestStall(post));
    t.ok([400, 413, 422].includes(status), `${name}: ${status}`);
    t.ok(stall < 100, `${name}: ${stall.toFixed(0)} ms`);
  }
});

t.test('a body over the limit', async t => {
  t.equal((await ask(`POST ${maps}`, { type, body: ' '.repeat(most + 1) })).status, 413);
  const amplified = `a: &a ${'x'.repeat(100_000)}\nb: [${'*a,'.repeat(60)}]`;
  const { json } = await ask(`POST ${maps}`, { type, body: amplified });
  t.match(json, { code: 413, message: 'Request entity too large: limit is 3145728' });
});

t.test('what a client is told when its body is not read', async t => {
  const caller = { user: { name: 'u', groups: [] }, signal: new AbortController().signal };
  const told = async (reason: OffloadFailure): Promise<unknown> => {
    const offload = { run: () => Promise.reject(new OffloadError(reason, 'why')) };
    return readYamlBody(offload, caller, Buffer.alloc(most, '#')).catch((error: unknown) => error);
  };
  t.match(await told('full'), { code: 429, status: { details: { retryAfterSeconds: 1 } } });
  t.match(await told('closed'), { code: 429 });
  t.match(await told('late'), { code: 413 });
  t.match(await told('memory'), { code: 413 });
  t.match(await told('failed'), { reason: 'failed' });
});
