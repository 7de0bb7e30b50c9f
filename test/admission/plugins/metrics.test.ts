/** Metrics of webhooks, policies and match conditions, with the names and labels of kube-apiserver. */
import { Registry } from 'prom-client';
import t, { type Test } from 'tap';
import { type Webhook, admissionAnswer, patchAnswer, startWebhook } from '../../aggregation/webhooks.js';
import { configMap, configmaps, refusal } from '../../registry/serve.js';
import { type Configured, addPolicy, configured, eventually, refused } from './configured.js';
import { configure, hook } from '../webhook/hooked.js';

interface Counted extends Configured {
  /** Returns the series whose names begin with the prefix, without buckets, sums and zero values. */
  series(prefix: string): Promise<string[]>;
}

async function start(t: Test): Promise<Counted> {
  const metrics = new Registry();
  const server = await configured(t, { metrics });
  return {
    ...server,
    async series(prefix) {
      const lines = (await metrics.metrics()).split('\n');
      return lines.filter(line => line.startsWith(prefix) && !/_bucket\{|_sum\{/.test(line) && !line.endsWith(' 0'));
    },
  };
}

const create = ({ client }: Configured, name = 'x') => client.create(configmaps, configMap(name), { dryRun: true });

/** Repeats the request until the webhook is called for the first time. */
const whenCalled = (server: Configured, webhook: Webhook): Promise<string> =>
  eventually(
    () => refusal(create(server)),
    () => webhook.calls.length > 0,
  );

t.test('calls of webhooks are counted', async t => {
  const cases: {
    name: string;
    answer: Webhook['answer'];
    mutating?: boolean;
    more?: object;
    /** Labels of request_total after name and operation; `further` matches the other counters. */
    total: string;
    further?: string;
  }[] = [
    { name: 'allowed', answer: review => admissionAnswer(review), total: 'rejected="false",code="200"' },
    {
      name: 'refused',
      answer: review => admissionAnswer(review, { allowed: false, status: { code: 418 } }),
      total: 'rejected="true",code="418"',
      further: 'error_type="no_error",rejection_code="418"',
    },
    {
      name: 'an invalid code',
      answer: review => admissionAnswer(review, { allowed: false, status: { code: 900 } }),
      total: 'rejected="true",code="600"',
      further: 'error_type="no_error",rejection_code="600"',
    },
    {
      name: 'an error status',
      answer: () => ({ status: 500, type: 'text/plain', body: 'no' }),
      total: 'rejected="true",code="500"',
      further: 'error_type="calling_webhook_error",rejection_code="500"',
    },
    {
      name: 'an invalid response',
      answer: () => ({ body: {} }),
      total: 'rejected="true",code="503"',
      further: 'error_type="calling_webhook_error",rejection_code="503"',
    },
    {
      name: 'failurePolicy Ignore',
      answer: () => ({ status: 502, type: 'text/plain', body: 'no' }),
      more: { failurePolicy: 'Ignore' },
      total: 'rejected="false",code="502"',
      further: 'fail_open_count{name="w.example.com",type="validating"}',
    },
    {
      name: 'a patch that cannot be parsed',
      mutating: true,
      answer: review => admissionAnswer(review, { allowed: true, patchType: 'JSONPatch', patch: 'e30=' }),
      total: 'rejected="true",code="503"',
      further: 'error_type="calling_webhook_error",rejection_code="503"',
    },
    {
      name: 'a patch that cannot be applied',
      mutating: true,
      answer: review => patchAnswer(review, [{ op: 'remove', path: '/none' }]),
      total: 'rejected="true",code="0"',
      further: 'error_type="apiserver_internal_error",rejection_code="0"',
    },
  ];
  for (const { name, answer, mutating = false, more, total, further } of cases)
    await t.test(name, async t => {
      const [server, webhook] = await Promise.all([start(t), startWebhook(t, answer)]);
      await configure(server.client, mutating ? 'Mutating' : 'Validating', 'c', hook(webhook, more));
      await whenCalled(server, webhook);
      const prefix = 'apiserver_admission_webhook_';
      const base = `name="w.example.com",type="${mutating ? 'admit' : 'validating'}"`;
      t.same(await server.series(`${prefix}request_total`), [
        `${prefix}request_total{${base},operation="CREATE",${total}} 1`,
      ]);
      t.equal((await server.series(`${prefix}admission_duration_seconds_count`)).length, 1);
      const others = [
        ...(await server.series(`${prefix}rejection_count`)),
        ...(await server.series(`${prefix}fail_open_count`)),
      ];
      t.equal(others.length, further === undefined ? 0 : 1);
      t.match(others[0] ?? '', further ?? '');
    });
});

t.test('a webhook that responds with Retry-After is called again', async t => {
  const [server, webhook] = await Promise.all([start(t), startWebhook(t, review => admissionAnswer(review))]);
  await configure(server.client, 'Validating', 'c', hook(webhook, { timeoutSeconds: 2 }));
  await whenCalled(server, webhook);
  const busy = (headers: Record<string, string>, status = 503) => ({
    status,
    headers,
    type: 'text/plain',
    body: 'busy',
  });
  const cases: { name: string; answer: Webhook['answer']; calls: number; expect: string | RegExp }[] = [
    {
      name: 'later',
      answer: review => (webhook.calls.length < 4 ? busy({ 'retry-after': '0' }) : admissionAnswer(review)),
      calls: 4,
      expect: 'allowed',
    },
    {
      name: 'throttled',
      answer: review => (webhook.calls.length < 2 ? busy({ 'retry-after': '0' }, 429) : admissionAnswer(review)),
      calls: 2,
      expect: 'allowed',
    },
    {
      name: 'at most ten times',
      answer: () => busy({ 'retry-after': '0' }),
      calls: 11,
      expect: /currently unable to handle/,
    },
    { name: 'not without Retry-After', answer: () => busy({}), calls: 1, expect: /currently unable to handle/ },
    {
      name: 'a date is ignored',
      answer: () => busy({ 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }),
      calls: 1,
      expect: /currently unable to handle/,
    },
    {
      name: 'other codes are ignored',
      answer: () => busy({ 'retry-after': '0' }, 404),
      calls: 1,
      expect: /could not find/,
    },
    {
      name: 'not beyond the timeout',
      answer: () => busy({ 'retry-after': '60' }),
      calls: 1,
      expect: /deadline exceeded/,
    },
  ];
  for (const { name, answer, calls, expect } of cases) {
    webhook.calls.length = 0;
    webhook.answer = answer;
    t.match(await refusal(create(server)), expect, name);
    t.equal(webhook.calls.length, calls, name);
  }
});

t.test('checks by policies are counted', async t => {
  const server = await start(t);
  const { client } = server;
  const validations = [{ expression: "object.metadata.name != 'x'" }];
  await addPolicy(client, 'no', { validations }, { validationActions: ['Deny', 'Audit'] });
  await refused(() => create(server));
  await addPolicy(client, 'open', {
    failurePolicy: 'Ignore',
    validations: [{ expression: "object.data['none'] == ''" }],
  });
  await addPolicy(client, 'quiet', { validations: [{ expression: 'true' }] }, { validationActions: ['Warn'] });
  const prefix = 'apiserver_validating_admission_policy_check_';
  await eventually(
    async () => {
      await refusal(create(server, 'y'));
      return server.series(`${prefix}total{policy="open"`);
    },
    found => found.length > 0,
  );
  const labels = (await server.series(`${prefix}total`)).map(line => line.replace(/\} \d+$/, '}'));
  t.same(labels, [
    `${prefix}total{policy="no",policy_binding="no",error_type="invalid_error",enforcement_action="deny"}`,
    `${prefix}total{policy="no",policy_binding="no",error_type="invalid_error",enforcement_action="audit"}`,
    `${prefix}total{policy="open",policy_binding="open",error_type="invalid_error",enforcement_action="allow"}`,
  ]);
  t.equal((await server.series(`${prefix}duration_seconds_count`)).length, 3);

  const change = {
    patchType: 'ApplyConfiguration',
    applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"a": "b"}}}' },
  };
  await addPolicy(client, 'mark', { mutations: [change] }, {}, 'Mutating');
  const count = 'apiserver_mutating_admission_policy_check_total';
  const [line] = await eventually(
    async () => {
      await refusal(create(server, 'y'));
      return server.series(count);
    },
    found => found.length > 0,
  );
  t.match(line, `${count}{policy="mark",policy_binding="mark",error_type="no_error"} `);
});

t.test('match conditions are counted', async t => {
  const [server, webhook] = await Promise.all([start(t), startWebhook(t, review => admissionAnswer(review))]);
  const conditions = (expression: string) => ({
    matchConditions: [{ name: 'c', expression }],
    failurePolicy: 'Ignore',
  });
  const more = conditions("object.metadata.name == 'x' || object.data['none'] == ''");
  await configure(server.client, 'Validating', 'c', hook(webhook, more));
  await whenCalled(server, webhook);
  const prefix = 'apiserver_admission_match_condition_';
  t.same(await server.series(`${prefix}exclusions_total`), []);
  await create(server, 'y');
  const base = 'name="w.example.com",kind="webhook"';
  t.same(await server.series(`${prefix}exclusions_total`), [
    `${prefix}exclusions_total{${base},type="validate",operation="CREATE"} 1`,
  ]);
  t.same(await server.series(`${prefix}evaluation_errors_total`), [
    `${prefix}evaluation_errors_total{${base},type="validating",operation="CREATE"} 1`,
  ]);
  t.equal((await server.series(`${prefix}evaluation_seconds_count`)).length, 1);
});
