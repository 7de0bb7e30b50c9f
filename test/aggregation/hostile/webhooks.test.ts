import t from 'tap';
import { memberBehaviours, webhookBehaviours } from './behaviours.js';
import { startScene } from './scene.js';

/** Milliseconds of processor time. */
const longestStall = 100;
const mostGrowth = 300 * 1024 * 1024;
const requests = 50;

t.test('webhooks that misbehave hold up nobody but those who need them', { timeout: 300_000 }, async t => {
  const scene = await startScene(t);
  const { server, hostile } = scene;
  const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  const start = await scene.collect();

  /** What is measured while a request waits for the webhook of that number. */
  async function play(number: number, configMap: string) {
    await scene.create(configurations, {
      ...{
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'w' },
      },
      webhooks: [
        {
          ...{ name: 'w.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 2 },
          clientConfig: {
            url: `${hostile.url(number)}/webhook`,
            caBundle: Buffer.from(hostile.authority).toString('base64'),
          },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
        },
      ],
    });
    await scene.report();
    const refused = scene
      .create('/api/v1/namespaces/default/configmaps', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: configMap },
      })
      .then(
        () => 'it was created',
        (error: unknown) => String(error),
      );
    let answered = 0;
    for (let n = 0; n < requests; n++) answered += (await server.call('GET', '/version')).status === 200 ? 1 : 0;
    const text = await refused;
    const report = await scene.report();
    await server.call('DELETE', `${configurations}/w`);
    return { answered, text, report };
  }

  for (const [i, { name }] of webhookBehaviours.entries()) {
    const number = memberBehaviours.length + i;
    const first = await play(number, `a${i}`);
    // A collection of the whole heap may fall into any measurement; a stall that is the webhook's comes again.
    const isAgain = first.report.longestStall >= longestStall;
    const { answered, text, report } = isAgain ? await play(number, `b${i}`) : first;
    t.match(text, /failed calling webhook/, `${name}: ${text.slice(0, 300)}`);
    t.ok(text.length < 20_000, `${name}: the refusal is not longer than need be`);
    t.equal(answered, requests);
    t.ok(report.longestStall < longestStall, `${name}: the longest stall was ${report.longestStall.toFixed(1)} ms`);
    const growth = report.highest - start.resident;
    t.ok(growth < mostGrowth, `${name}: ${Math.round(growth / 1024 / 1024)} MiB were taken`);
  }
});
