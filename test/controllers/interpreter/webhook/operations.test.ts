/** The operations of the interpreter webhook: requests, responses, and responses that are refused. */
import t, { type Test } from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import type { Interpreter } from '../../../../controllers/interpreter/interface.js';
import type { Maybe } from '../../../../lib/maybe.js';
import { startWebhook, type Webhook } from '../../../aggregation/webhooks.js';
import { answered, configuration, game, gameKind, hookOf, interpreters, patchOf, reply } from './interpreting.js';

const uidForm = /^[0-9a-f-]{36}$/;

type Interpret<T> = (interpreter: Interpreter) => Maybe<T>;

interface Scene {
  readonly webhook: Webhook;
  /** Interprets with a new interpreter. */
  readonly run: <T>(interpret: Interpret<T>) => Promise<T>;
}

async function start(t: Test, response: object = {}): Promise<Scene> {
  const webhook = await startWebhook(t, review => reply(review, response));
  const make = interpreters(t, [configuration('c', hookOf(webhook))]);
  const run = <T>(interpret: Interpret<T>): Promise<T> => {
    const interpreter = make();
    return answered(() => interpret(interpreter));
  };
  return { webhook, run };
}

const requestOf = ({ calls }: Webhook) => calls.at(-1)?.body['request'] as Record<string, unknown>;

t.test('requests', async t => {
  const { webhook, run } = await start(t, { replicas: 1 });
  await run(i => i.replicas(game));
  t.equal(webhook.calls[0]?.path, '/interpret?timeout=5s');
  const { request, ...context } = webhook.calls[0]?.body ?? {};
  t.strictSame(context, { kind: 'ResourceInterpreterContext', apiVersion: 'config.karmada.io/v1alpha1' });
  const { uid, ...others } = request as { uid: string };
  t.match(uid, uidForm);
  t.strictSame(others, {
    ...{ kind: gameKind, name: 'g', namespace: 'n', operation: 'InterpretReplica', object: game, replicas: 0 },
  });

  webhook.answer = review => reply(review, {});
  await run(i => i.reviseReplica(game, 7));
  t.match(requestOf(webhook), { operation: 'ReviseReplica', replicas: 7, object: game });
  const observed: KubeObject = { ...game, spec: { size: 9 } };
  await run(i => i.retain(game, observed));
  t.match(requestOf(webhook), { operation: 'Retain', object: game, observedObject: observed });
  const items = [{ clusterName: 'm1', status: { up: 3 }, applied: true }];
  await run(i => i.aggregateStatus(game, items));
  t.match(requestOf(webhook), { operation: 'AggregateStatus', object: game, aggregatedStatus: items });
  const { namespace: _, ...metadata } = game.metadata;
  await run(i => i.components({ ...game, metadata }));
  t.notOk('namespace' in requestOf(webhook), 'a cluster-scoped object has no namespace');
  t.equal(new Set(webhook.calls.map(({ body }) => (body['request'] as { uid: string }).uid)).size, 5);
});

t.test('results', async t => {
  const { webhook, run } = await start(t);
  const result = <T>(response: object, interpret: Interpret<T>): Promise<T> => {
    webhook.answer = review => reply(review, response);
    return run(interpret);
  };
  const replicas = (i: Interpreter) => i.replicas(game);
  t.strictSame(await result({ replicas: 0 }, replicas), { replicas: 0, requirements: undefined });
  t.strictSame(
    await result(
      {
        replicas: 2,
        replicaRequirements: {
          nodeClaim: { nodeSelector: { a: 'b' }, tolerations: [{ key: 'k', operator: 'Exists' }], unknown: 1 },
          resourceRequest: { cpu: '0.5', memory: '1024Mi' },
          priorityClassName: 'high',
        },
      },
      replicas,
    ),
    {
      replicas: 2,
      requirements: {
        nodeClaim: { nodeSelector: { a: 'b' }, tolerations: [{ key: 'k', operator: 'Exists' }] },
        resourceRequest: { cpu: '500m', memory: '1Gi' },
        priorityClassName: 'high',
      },
    },
  );
  const components = [
    { name: 'job', replicas: 1 },
    { name: 'task', replicas: 3, replicaRequirements: {} },
  ];
  t.strictSame(await result({ components }, i => i.components(game)), components);
  t.strictSame(await result({}, i => i.components(game)), [], 'no components');
  const dependencies = [
    { apiVersion: 'v1', kind: 'Secret', namespace: 'n', name: 's' },
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'n', labelSelector: { matchLabels: { a: 'b' } } },
  ];
  t.strictSame(await result({ dependencies }, i => i.dependencies(game)), dependencies);
  t.strictSame(await result({ rawStatus: { up: 1 } }, i => i.reflectStatus(game)), { up: 1 });
  t.strictSame(await result({ rawStatus: {} }, i => i.reflectStatus(game)), {});
  t.equal(await result({ healthy: true }, i => i.health(game)), 'Healthy');
  t.equal(await result({ healthy: false }, i => i.health(game)), 'Unhealthy');
});

t.test('patches', async t => {
  const { webhook, run } = await start(t);
  const given = structuredClone(game);
  const patched = (operations: unknown, more: object = {}) => {
    webhook.answer = review => reply(review, { ...patchOf(operations), ...more });
    return run(i => i.reviseReplica(given, 5));
  };
  const set = { op: 'replace', path: '/spec/size', value: 5 };
  t.strictSame(await patched([set]), { ...game, spec: { size: 5 } });
  t.strictSame(given, game, 'the object is not changed');
  t.strictSame(await patched([]), game, 'no operations');
  webhook.answer = review => reply(review, {});
  t.strictSame(await run(i => i.retain(given, given)), game, 'no patch');
  const exact = await patched([
    { op: 'add', path: '/spec/id', value: 1 },
    { op: 'test', path: '/spec/size', value: 2 },
  ]);
  t.match(exact, { spec: { id: 1, size: 2 } });
  webhook.answer = review =>
    reply(review, {
      patchType: 'JSONPatch',
      patch: Buffer.from('[{"op":"add","path":"/spec/id","value":9007199254740993}]').toString('base64'),
    });
  t.match(await run(i => i.reviseReplica(given, 5)), { spec: { id: 9007199254740993n } }, 'large integers are exact');
  webhook.answer = review => reply(review, patchOf([{ op: 'add', path: '/status/up', value: 8 }]));
  t.match(await run(i => i.aggregateStatus(given, [])), { status: { up: 8 } });
  t.match(await run(i => i.retain(given, given)), { status: { up: 8 } });
});

const head = 'Internal error occurred: failed calling webhook "c/w.example.com": ';
const invalid = `${head}received invalid webhook response: `;

t.test('responses that are refused', async t => {
  const { webhook, run } = await start(t);
  const replicas = (i: Interpreter) => i.replicas(game);
  const revised = (i: Interpreter) => i.reviseReplica(game, 5);
  const dependencies = (i: Interpreter) => i.dependencies(game);
  const components = (i: Interpreter) => i.components(game);
  const patch = patchOf([{ op: 'remove', path: '/spec' }]);
  const goField = 'json: cannot unmarshal string into Go struct field ResourceInterpreterResponse.response';
  const table: readonly [name: string, response: object, interpret: Interpret<unknown>, message: string | RegExp][] = [
    [
      'another uid',
      { uid: 'x' },
      replicas,
      /received invalid webhook response: expected response.uid ".{36}", got "x"$/,
    ],
    ['no replicas', {}, replicas, `${invalid}webhook returned nil response.replicas`],
    ['wrong replicas', { replicas: 'x' }, replicas, `${invalid}${goField}.replicas`],
    ['many replicas', { replicas: 2 ** 31 }, replicas, /cannot unmarshal number into Go struct field .*replicas$/],
    ['half a replica', { replicas: 0.5 }, replicas, /cannot unmarshal number into Go struct field .*replicas$/],
    [
      'wrong quantity',
      { replicas: 1, replicaRequirements: { resourceRequest: { cpu: 'x' } } },
      replicas,
      /quantities must match/,
    ],
    ['no status', {}, i => i.reflectStatus(game), `${invalid}webhook returned nil response.rawStatus`],
    ['null status', { rawStatus: null }, i => i.reflectStatus(game), /returned nil response.rawStatus/],
    ['wrong status', { rawStatus: 'x' }, i => i.reflectStatus(game), `${invalid}${goField}.rawStatus`],
    ['no health', {}, i => i.health(game), `${invalid}webhook returned nil response.healthy`],
    ['wrong health', { healthy: 'true' }, i => i.health(game), `${invalid}${goField}.healthy`],
    ['wrong list', { components: 'x' }, components, `${invalid}${goField}.components`],
    ['wrong component', { components: [1] }, components, /cannot unmarshal number into Go struct field Component$/],
    [
      'many components',
      { components: Array(1_001).fill({}) },
      components,
      /there are 1001 components, which is more than 1000$/,
    ],
    [
      'unnamed dependency',
      { dependencies: [{ apiVersion: 'v1', kind: 'Secret' }] },
      dependencies,
      /can not leave name and labelSelector all empty$/,
    ],
    [
      'dependency without kind',
      { dependencies: [{ apiVersion: 'v1', name: 'x' }] },
      dependencies,
      /missing required kind$/,
    ],
    ['patch without type', { ...patch, patchType: null }, revised, `${invalid}webhook returned nil response.patchType`],
    ['type without patch', { patchType: 'JSONPatch' }, revised, `${invalid}webhook returned empty response.patch`],
    [
      'another type',
      { ...patch, patchType: 'Merge' },
      revised,
      `${invalid}webhook returned invalid response.patchType of "Merge"`,
    ],
    ['no base64', { ...patch, patch: '[{}]' }, revised, `${invalid}illegal base64 data at input byte 0`],
    ['no JSON', { ...patch, patch: 'eA==' }, revised, /response.patch cannot be applied: .*invalid character 'x'/],
    ['no list', patchOf({}), revised, /response.patch cannot be applied: json: cannot unmarshal object/],
    ['unknown operation', patchOf([{ op: 'x', path: '/a' }]), revised, /response.patch cannot be applied/],
    ['missing path', patchOf([{ op: 'remove', path: '/a/b' }]), revised, /response.patch cannot be applied/],
    ['no object left', patchOf([{ op: 'replace', path: '', value: [] }]), revised, /cannot unmarshal array/],
    ['no kind left', patchOf([{ op: 'remove', path: '/kind' }]), revised, /Object 'Kind' is missing/],
    [
      'no metadata left',
      patchOf([{ op: 'remove', path: '/metadata' }]),
      revised,
      /the returned object has no 'metadata'/,
    ],
    [
      'labels of a wrong type',
      patchOf([{ op: 'add', path: '/metadata/labels', value: { a: 1 } }]),
      revised,
      /ObjectMeta.labels$/,
    ],
    [
      'refused without a status',
      { successful: false },
      replicas,
      `${invalid}webhook require response.status when response.successful is false`,
    ],
    [
      'refused',
      { successful: false, status: { code: 403, message: 'no' } },
      replicas,
      `${head}webhook call failed, get status code: 403, msg: no`,
    ],
    [
      'refused without texts',
      { successful: false, status: {} },
      replicas,
      `${head}webhook call failed, get status code: 0, msg: `,
    ],
    ['refused at length', { successful: false, status: { message: 'x'.repeat(1e6) } }, replicas, /^.{1000}$/],
  ];
  for (const [name, response, interpret, message] of table) {
    webhook.answer = review => reply(review, response);
    await t.rejects(run(interpret), { name: 'ExpectedError', message }, name);
  }
});

t.test('answers that are refused', async t => {
  const { webhook, run } = await start(t);
  const at = `${head}failed to call webhook: `;
  const response = (review: Record<string, unknown>) =>
    (reply(review, { replicas: 3 }).body as { response: object }).response;
  const table: readonly [name: string, answer: Webhook['answer'], message: string | RegExp][] = [
    ['no response', () => ({ body: {} }), `${invalid}webhook response was absent`],
    [
      'a list',
      () => ({ body: [] }),
      `${invalid}json: cannot unmarshal array into Go struct field ResourceInterpreterContext`,
    ],
    ['nothing', () => ({ body: 'null' }), /received invalid webhook response/],
    [
      'no JSON',
      () => ({ body: 'hello', type: 'text/plain' }),
      /^.*failed to call webhook: .*invalid character 'h' looking for beginning of value$/,
    ],
    ['half of it', () => ({ body: '{"response":{' }), /failed to call webhook/],
    [
      'an empty body',
      () => ({ body: '', headers: { 'content-length': '0' } }),
      /0-length response with status code: 200/,
    ],
    [
      'another kind',
      review => ({ body: { kind: 'AdmissionReview', response: response(review) } }),
      `${invalid}no kind "AdmissionReview" is registered for version "config.karmada.io/v1alpha1"`,
    ],
    [
      'another version',
      review => ({ body: { apiVersion: 'v1', response: response(review) } }),
      `${invalid}no kind "ResourceInterpreterContext" is registered for version "v1"`,
    ],
    ['404', () => ({ status: 404, body: 'x' }), `${at}the server could not find the requested resource`],
    [
      '500',
      () => ({ status: 500, body: 'broken' }),
      `${at}an error on the server ("broken") has prevented the request from succeeding`,
    ],
    ['a long refusal', () => ({ status: 403, body: 'x'.repeat(500_000) }), /^.{1000}$/],
    [
      'a redirection',
      () => ({ status: 302, headers: { location: 'https://127.0.0.1:1/' }, body: 'x' }),
      /the server responded with the status code 302/,
    ],
    [
      'too long an answer',
      () => ({ body: `"${'x'.repeat(9 * 1024 * 1024)}"` }),
      `${at}the answer is longer than 8 MiB`,
    ],
    ['too many values', () => ({ body: `[${'1,'.repeat(2e5)}1]` }), /the answer has more than 100000 values$/],
  ];
  for (const [name, answer, message] of table) {
    webhook.answer = answer;
    await t.rejects(
      run(i => i.replicas(game)),
      { name: 'ExpectedError', message },
      name,
    );
  }
  webhook.answer = review => ({
    body: { kind: 'ResourceInterpreterContext', apiVersion: 'config.karmada.io/v1alpha1', response: response(review) },
  });
  t.match(await run(i => i.replicas(game)), { replicas: 3 }, 'an answer may name its type');
});
