/** Configurations of webhooks and admission policies of unusual size. They select no request of the suite. */
import { customKind, definitionsPath, version } from '../../custom-kinds.js';
import type { Row } from '../row.js';
import { registration } from './in-force.js';
import { object, post, put, range, remove } from './objects.js';

const apiVersion = 'admissionregistration.k8s.io/v1';

/** Creates an object, changes it, and deletes it. The unit of `size` depends on the row. */
const changed = (name: string, size: number, kind: string, make: (size: number) => object): Row => ({
  name: `registrations/${name}`,
  size,
  async play(fixture) {
    const own = fixture.name();
    const path = `${registration}/${kind.toLowerCase()}s`.replace(/ys$/, 'ies');
    const made = (labels: object): object =>
      object(apiVersion, kind, own, { metadata: { labels }, ...make(fixture.size) });
    const { status } = await fixture.send(post(path, made({})));
    if (status !== 201) return;
    await fixture.send(put(`${path}/${own}`, made({ changed: 'true' })));
    await fixture.must(remove(`${path}/${own}`));
  },
});

const rule = (i: number): object => ({
  ...{ apiGroups: ['none.example.com'], apiVersions: ['v1'] },
  ...{ resources: [`r${i}`], operations: ['CREATE'] },
});

const hook = (i: number, more: object = {}): object => ({
  ...{ name: `h${i}.example.com`, clientConfig: { url: 'https://127.0.0.1:1' }, sideEffects: 'None' },
  ...{ admissionReviewVersions: ['v1'], ...more },
});

const webhooks = (name: string, size: number, make: (size: number) => readonly object[]): Row =>
  changed(name, size, 'ValidatingWebhookConfiguration', size => ({ webhooks: make(size) }));

const policy = (name: string, size: number, matchConstraints: (size: number) => object): Row =>
  changed(name, size, 'ValidatingAdmissionPolicy', size => ({
    spec: { matchConstraints: matchConstraints(size), validations: [{ expression: 'true' }] },
  }));

const encoded = (text: string): string => Buffer.from(text).toString('base64');
const block = (body: string): string => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`;

/** Creates a definition whose conversion webhook has this CA bundle, which is read at once, and deletes it. `size`: bytes of PEM. */
const bundle = (name: string, size: number, make: (size: number) => string): Row => ({
  name: `registrations/ca-bundle-${name}`,
  size,
  async play(fixture) {
    const kind = `Bundle${fixture.name().replaceAll('-', '')}`;
    const clientConfig = { url: 'https://127.0.0.1:1', caBundle: encoded(make(fixture.size)) };
    const conversion = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } };
    const made = customKind(kind, [version()], { conversion });
    const { status } = await fixture.send(post(definitionsPath, made));
    if (status === 201) await fixture.must(remove(`${definitionsPath}/${made.metadata.name}`));
  },
});

export const registrationRows: readonly Row[] = [
  bundle('broken', 2_000_000, size => block('AAAA').repeat(size / block('AAAA').length)),
  bundle('broken-read', 11_000, size => block('AAAA').repeat(size / block('AAAA').length)),
  bundle('marks', 2_000_000, size => '-----BEGIN CERTIFICATE-----\n'.repeat(size / 28)),
  webhooks('webhooks', 4000, size => range(size, hook)),
  webhooks('webhooks-with-rules', 2500, size => range(size, i => hook(i, { rules: [rule(i)] }))),
  webhooks('bad-webhooks', 20_000, size => range(size, () => ({}))),
  webhooks('rules', 5000, size => [hook(0, { rules: range(size, rule) })]),
  webhooks('bad-rules', 20_000, size => [hook(0, { rules: range(size, () => ({})) })]),
  webhooks('operations', 40_000, size => [hook(0, { rules: [{ ...rule(0), operations: range(size, i => `O${i}`) }] })]),
  webhooks('resources', 40_000, size => [
    hook(0, { rules: [{ ...rule(0), resources: range(size, i => `r${i}/s${i}`) }] }),
  ]),
  webhooks('versions', 40_000, size => [hook(0, { admissionReviewVersions: range(size, i => `v${i}`) })]),
  webhooks('selectors', 4000, size =>
    range(size, i => hook(i, { objectSelector: { matchExpressions: [{ key: `k${i}`, operator: 'Exists' }] } })),
  ),
  webhooks('selector', 12_000, size => [
    hook(0, { objectSelector: { matchExpressions: range(size, i => ({ key: `k${i}`, operator: 'Exists' })) } }),
  ]),
  policy('policy-rules', 5000, size => ({ resourceRules: range(size, rule) })),
  policy('policy-excludes', 5000, size => ({ resourceRules: [rule(0)], excludeResourceRules: range(size, rule) })),
  policy('policy-names', 40_000, size => ({
    resourceRules: [{ ...rule(0), resourceNames: range(size, i => `n${i}`) }],
  })),
];
