/** Volumes that combine several sources. as pkg/apis/core/validation validateProjectionSources */
import t from 'tap';
import type { ProjectedVolumeSource, VolumeProjection } from '../../../../../api/kubernetes/core.js';
import { strictPod } from '../../../../../kinds/kubernetes/core/shared/pod-options.js';
import { downwardApi, projected } from '../../../../../kinds/kubernetes/core/volumes/projected-volume-rules.js';
import { faultsOf } from '../../../../../kinds/shared/rules/field.js';

/** Returns the faults of a volume with these sources, as `path: message`. */
const faults = (
  sources: readonly VolumeProjection[],
  more: ProjectedVolumeSource = {},
  options = strictPod,
): readonly string[] =>
  faultsOf<{ v: ProjectedVolumeSource }>({ v: { sources, ...more } }, root => projected(root.at('v'), options)).map(
    ({ path, message }) => `${path}: ${message}`,
  );

const item = (path: string) => ({ key: 'k', path });

t.test('a path is used once in the whole volume', async t => {
  const label = { path: 'c', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } };
  const bundle = { name: 'b', path: 'd' };
  const all: readonly VolumeProjection[] = [
    { secret: { name: 's', items: [item('a')] } },
    { configMap: { name: 'm', items: [item('b')] } },
    { downwardAPI: { items: [label] } },
    { clusterTrustBundle: bundle },
  ];
  t.strictSame(faults(all), []);
  const twice = 'v: Invalid value: ';
  t.strictSame(faults([...all, { secret: { name: 't', items: [item('b')] } }]), [
    `${twice}"t": conflicting duplicate paths`,
  ]);
  t.strictSame(faults([...all, { downwardAPI: { items: [{ ...label, path: 'a' }] } }]), [
    `${twice}"a": conflicting duplicate paths`,
  ]);
  t.strictSame(faults([...all, { clusterTrustBundle: bundle }]), [`${twice}"d": conflicting duplicate paths`]);
  t.strictSame(faults([{ configMap: { name: 'm', items: [item('a'), item('a')] } }]), [
    `${twice}"m": conflicting duplicate paths`,
  ]);
});

t.test('a source is of one type', async t => {
  t.strictSame(faults([{ secret: { name: 's' }, configMap: { name: 'm' } }]), [
    'v.sources[0]: Forbidden: may not specify more than 1 volume type per source',
  ]);
  t.strictSame(faults([{}]), []);
});

t.test('the mode of files is a number of nine bits', async t => {
  const text = 'must be a number between 0 and 0777 (octal), both inclusive';
  for (const [mode, expected] of [
    [0, []],
    [0o777, []],
    [0o1000, [`v.defaultMode: Invalid value: 512: ${text}`]],
    [-1, [`v.defaultMode: Invalid value: -1: ${text}`]],
  ] as const)
    t.strictSame(faults([], { defaultMode: mode }), expected, String(mode));
});

t.test('a key needs its name and a path below the volume', async t => {
  t.strictSame(faults([{ secret: { items: [{ key: '', path: '' }] } }]), [
    'v.sources[0].secret.name: Required value',
    'v.sources[0].secret.items[0].key: Required value',
    'v.sources[0].secret.items[0].path: Required value',
  ]);
  t.strictSame(faults([{ configMap: { name: 'm', items: [item('/a'), item('b/../c'), item('..d')] } }]), [
    'v.sources[0].configMap.items[0].path: Invalid value: "/a": must be a relative path',
    'v.sources[0].configMap.items[1].path: Invalid value: "b/../c": must not contain \'..\'',
    'v.sources[0].configMap.items[2].path: Invalid value: "..d": must not start with \'..\'',
  ]);
});

t.test('a token is valid for ten minutes to 2^32 seconds', async t => {
  const seconds = 'v.sources[0].serviceAccountToken.expirationSeconds: Invalid value: ';
  for (const [expirationSeconds, expected] of [
    [600, []],
    [599, [`${seconds}599: may not specify a duration less than 10 minutes`]],
    [2 ** 32, []],
    [2 ** 32 + 1, [`${seconds}4294967297: may not specify a duration larger than 2^32 seconds`]],
  ] as const)
    t.strictSame(faults([{ serviceAccountToken: { path: 't', expirationSeconds } }]), expected);
  const token = (path: string): readonly VolumeProjection[] => [
    { serviceAccountToken: { path, expirationSeconds: 600 } },
  ];
  t.strictSame(faults(token('')), ['v.path: Required value']);
  t.strictSame(faults(token('../t')), ['v.path: Invalid value: "../t": must not contain \'..\'']);
  t.strictSame(faults(token('../t'), {}, { ...strictPod, allowBadTokenPaths: true }), [], 'a stored path stays');
});

t.test('a bundle is chosen by its name, or by its signer and labels', async t => {
  const at = 'v.sources[0].clusterTrustBundle';
  const bundle = (more: object): readonly string[] => faults([{ clusterTrustBundle: { path: 'b', ...more } }]);
  t.strictSame(bundle({ name: 'example.com:signer:a' }), []);
  t.strictSame(bundle({ signerName: 'example.com/s', labelSelector: { matchLabels: { a: 'b' } } }), []);
  t.strictSame(bundle({}), [`${at}: Required value: either name or signerName must be specified`]);
  t.match(bundle({ name: 'a', signerName: 'example.com/s' }), [
    new RegExp(`^${at.replace('[0]', '\\[0\\]')}: Invalid value: .*: only one of name and signerName may be used$`),
  ]);
  t.match(bundle({ name: '' })[0], `${at}.name: Required value: must be a valid object name`);
  t.match(bundle({ name: 'A' })[0], `${at}.name: Invalid value: "A": not a valid clustertrustbundlename: `);
  t.match(bundle({ signerName: '' })[0], `${at}.signerName: Required value: must be a valid signer name`);
  t.match(bundle({ name: 'a', labelSelector: {} })[0], /labelSelector must be unset if name is specified$/);
  t.match(bundle({ name: 'a', path: '' }), [`${at}.path: Required value`]);
});

t.test('a certificate has a signer, a type of key, a time to live, and a place', async t => {
  const at = 'v.sources[0].podCertificate';
  const sound = { signerName: 'example.com/s', keyType: 'ED25519', credentialBundlePath: 'c.pem' };
  const certificate = (more: object): readonly string[] => faults([{ podCertificate: { ...sound, ...more } }]);
  const seconds = (maxExpirationSeconds: number, signerName = sound.signerName): readonly string[] =>
    certificate({ signerName, maxExpirationSeconds });
  const day = 86_400;
  t.strictSame(certificate({}), []);
  t.strictSame(seconds(3600), []);
  const age = `${at}.maxExpirationSeconds: Invalid value: `;
  t.strictSame(seconds(3599), [`${age}3599: if provided, maxExpirationSeconds must be >= 3600`]);
  t.strictSame(seconds(91 * day), []);
  t.strictSame(seconds(91 * day + 1), [`${age}7862401: if provided, maxExpirationSeconds must be <= 7862400`]);
  for (const signer of ['kubernetes.io/s', 'x.kubernetes.io/s']) {
    t.strictSame(seconds(day, signer), []);
    t.strictSame(seconds(day + 1, signer), [`${age}86401: if provided, maxExpirationSeconds must be <= 86400`]);
  }
  t.strictSame(seconds(day + 1, 'my-kubernetes.io/s'), [], 'the domain of another owner');
  t.match(certificate({ keyType: 'RSA1024' })[0], `${at}.keyType: Unsupported value: "RSA1024"`);
  t.strictSame(certificate({ credentialBundlePath: '' }), [
    `${at}: Required value: specify at least one of credentialBundlePath, keyPath, and certificateChainPath`,
  ]);
  t.strictSame(certificate({ keyPath: 'c.pem' }), ['v: Invalid value: "c.pem": conflicting duplicate paths']);
  t.strictSame(certificate({ userAnnotations: { plain: 'x' } }), [
    `${at}.userAnnotations: Invalid value: "plain": must be a domain-prefixed key (such as "acme.io/foo")`,
  ]);
  const half = 'x'.repeat(128 * 1024);
  t.strictSame(certificate({ userAnnotations: { 'a.io/a': half, 'a.io/b': half } }), [
    `${at}.userAnnotations: Too long: may not be more than 262144 bytes`,
  ]);
});

t.test('a file of the downward API has one source', async t => {
  const found = (file: object): readonly string[] =>
    faultsOf<{ d: { items: { path: string }[] } }>({ d: { items: [{ path: 'a', ...file }] } }, root =>
      downwardApi(root.at('d')),
    ).map(({ path, message }) => `${path}: ${message}`);
  const fieldRef = { apiVersion: 'v1', fieldPath: 'metadata.labels' };
  const resourceFieldRef = { containerName: 'c', resource: 'limits.cpu' };
  t.strictSame(found({ fieldRef }), []);
  t.strictSame(found({ resourceFieldRef }), []);
  t.strictSame(found({}), ['d: Required value: one of fieldRef and resourceFieldRef is required']);
  t.strictSame(found({ fieldRef, resourceFieldRef }), [
    'd: Invalid value: "resource": fieldRef and resourceFieldRef can not be specified simultaneously',
  ]);
  t.match(
    found({ fieldRef: { apiVersion: 'v1', fieldPath: 'spec.nodeName' } })[0],
    'd.fieldRef.fieldPath: Unsupported value: "spec.nodeName"',
  );
  t.strictSame(found({ resourceFieldRef: { resource: 'limits.cpu' } }), [
    'd.resourceFieldRef.containerName: Required value',
  ]);
});
