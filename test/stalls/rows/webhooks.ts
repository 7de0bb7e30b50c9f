/** Admission webhooks whose server is hostile. */
import { setTimeout } from 'node:timers/promises';
import { createAuthority } from '../../../authn/pki/authority.js';
import { admissionAnswer, patchAnswer, type Reply } from '../../aggregation/webhooks.js';
import type { Row } from '../row.js';
import { registration } from './in-force.js';
import { configMap, configMaps, entries, maxBytes, object, post, range, remove } from './objects.js';

type Review = Record<string, unknown>;

type BundleOf = (caBundle: string, size: number) => Promise<string>;

/** Creates ConfigMaps that match a webhook until it was called a few times. `size`: of the response; its unit depends on the row. */
const answering = (
  name: string,
  size: number,
  answer: (review: Review, size: number) => Reply,
  bundleOf: BundleOf = bundle => Promise.resolve(bundle),
): Row => ({
  name: `webhooks/${name}`,
  size,
  async play(fixture) {
    const own = fixture.name();
    const { url, calls, ...server } = await fixture.webhook(review => answer(review, fixture.size));
    const caBundle = await bundleOf(server.caBundle, fixture.size);
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }];
    const hook = {
      ...{ name: `${own}.example.com`, rules, clientConfig: { url, caBundle }, sideEffects: 'None' },
      ...{ admissionReviewVersions: ['v1'], timeoutSeconds: 5, objectSelector: { matchLabels: { stalls: own } } },
      reinvocationPolicy: 'IfNeeded', // The object is copied, and compared with the copy.
    };
    const path = `${registration}/mutatingwebhookconfigurations`;
    await fixture.must(
      post(path, object('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', own, { webhooks: [hook] })),
    );
    while (calls.length < 3) {
      const made = fixture.name();
      const { status } = await fixture.send(
        post(configMaps, configMap(made, { metadata: { labels: { stalls: own } } })),
      );
      if (status === 201) await fixture.must(remove(`${configMaps}/${made}`));
      await setTimeout(5);
    }
    await fixture.must(remove(`${path}/${own}`));
  },
});

/** Returns a bundle that ends with the CA of the server, after so many others. */
async function largeBundle(caBundle: string, size: number): Promise<string> {
  const others = await Promise.all(range(size, i => createAuthority(`other-${i}`)));
  const texts = [...others.map(({ certificate }) => certificate), Buffer.from(caBundle, 'base64').toString()];
  return Buffer.from(texts.join('')).toString('base64');
}

const patched = (name: string, size: number, make: (size: number) => readonly object[]): Row =>
  answering(`patch-${name}`, size, (review, size) => patchAnswer(review, make(size)));
const body = (name: string, size: number, make: (size: number) => string): Row =>
  answering(name, size, (_review, size) => ({ body: make(size) }));

export const webhookRows: readonly Row[] = [
  answering('ca-bundle-taken', 199, review => admissionAnswer(review), largeBundle),
  body('spaces', maxBytes * 10, size => ' '.repeat(size)),
  body('open-brackets', maxBytes * 10, size => '['.repeat(size)),
  body('flat', maxBytes * 5, size => `[1${',1'.repeat(size / 2)}]`),
  body('garbage', maxBytes * 10, size => 'x'.repeat(size)),
  answering('message', maxBytes * 5, (review, size) =>
    admissionAnswer(review, { allowed: false, status: { message: 'x'.repeat(size), code: 403 } }),
  ),
  answering('causes', 100_000, (review, size) =>
    admissionAnswer(review, {
      allowed: false,
      status: { details: { causes: range(size, i => ({ reason: 'R', message: 'm', field: `f${i}` })) } },
    }),
  ),
  answering('causes-taken', 24_000, (review, size) =>
    admissionAnswer(review, {
      allowed: false,
      status: { details: { causes: range(size, i => ({ reason: 'R', message: 'm', field: `f${i}` })) } },
    }),
  ),
  answering('warnings', 100_000, (review, size) =>
    admissionAnswer(review, { allowed: true, warnings: range(size, i => `warning ${i}`) }),
  ),
  answering('warning', maxBytes, (review, size) =>
    admissionAnswer(review, { allowed: true, warnings: ['w'.repeat(size)] }),
  ),
  answering('annotations', 100_000, (review, size) =>
    admissionAnswer(review, { allowed: true, auditAnnotations: entries(size, i => [`k${i}`, 'v']) }),
  ),
  answering('warnings-taken', 90_000, (review, size) =>
    admissionAnswer(review, { allowed: true, warnings: range(size, i => `warning ${i}`) }),
  ),
  answering('annotations-taken', 90_000, (review, size) =>
    admissionAnswer(review, { allowed: true, auditAnnotations: entries(size, i => [`k${i}`, 'v']) }),
  ),
  body('keys-taken', 90_000, size => JSON.stringify(entries(size, i => [`key${i}`, 'v']))),
  body('large-integers-taken', 90_000, size => `{${range(size, i => `"k${i}":9007199254740993${i % 10}`).join(',')}}`),
  answering('error-page', maxBytes * 5, (_review, size) => ({ status: 500, body: 'x'.repeat(size) })),
  patched('labels', 100_000, size => [
    { op: 'add', path: '/metadata/labels', value: entries(size, i => [`k${i}`, 'v']) },
  ]),
  {
    ...patched('labels-taken', 48_000, size => [
      { op: 'add', path: '/metadata/labels', value: entries(size, i => [`k${i}`, 'v']) },
    ]),
    // The watch history retains the parsed labels of past versions, some 5 MiB each.
    retainedBytes: 64 << 20,
  },
  patched('values-taken', 9000, size => range(size, i => ({ op: 'add', path: `/data`, value: { k: `v${i}` } }))),
  patched('many', 100_000, size => range(size, i => ({ op: 'add', path: `/data`, value: { k: `v${i}` } }))),
  patched('doubling', 60, size => [
    { op: 'add', path: '/data', value: {} },
    ...range(size, i => ({ op: 'copy', from: '', path: `/k${i}` })),
  ]),
  answering('patch-text', maxBytes * 5, (review, size) =>
    admissionAnswer(review, { allowed: true, patchType: 'JSONPatch', patch: '!'.repeat(size) }),
  ),
];
