/** Container image references, and their overrides. */
import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Overriders } from '../../../api/karmada/types.js';
import { imageText, parseImage, withTagOrDigest } from '../../../controllers/override/image.js';
import { overrideImages } from '../../../controllers/override/image-overrider.js';

const digest = `sha256:${'0'.repeat(64)}`;

t.test('references are parsed and formatted', async t => {
  const rows = [
    { text: 'nginx', expect: { host: '', repository: 'nginx', tag: '', digest: '' } },
    { text: 'nginx:1.27', expect: { host: '', repository: 'nginx', tag: '1.27', digest: '' } },
    { text: 'library/nginx:1.27', expect: { host: '', repository: 'library/nginx', tag: '1.27', digest: '' } },
    { text: 'registry.io/a/b', expect: { host: 'registry.io', repository: 'a/b', tag: '', digest: '' } },
    { text: 'localhost/a', expect: { host: 'localhost', repository: 'a', tag: '', digest: '' } },
    { text: 'registry:5000/a:v1', expect: { host: 'registry:5000', repository: 'a', tag: 'v1', digest: '' } },
    { text: '[::1]:5000/a', expect: { host: '[::1]:5000', repository: 'a', tag: '', digest: '' } },
    { text: `a@${digest}`, expect: { host: '', repository: 'a', tag: '', digest } },
  ];
  for (const { text, expect } of rows) {
    t.strictSame(parseImage(text), expect, text);
    t.equal(imageText(expect), text);
  }
  t.strictSame(
    parseImage(`a:v1@${digest}`),
    { host: '', repository: 'a', tag: 'v1', digest: '' },
    'a tag hides the digest',
  );
});

t.test('invalid references are refused', async t => {
  const rows = [
    { text: '', expect: 'invalid reference format' },
    { text: 'a/B', expect: 'invalid reference format' },
    { text: 'a:', expect: 'invalid reference format' },
    { text: `${'a/'.repeat(127)}aa`, expect: 'repository name must not be more than 255 characters' },
    { text: 'a'.repeat(1025), expect: 'invalid reference format' },
    { text: `a@md5:${'0'.repeat(32)}`, expect: 'unsupported digest algorithm' },
    { text: `a@constructor:${'0'.repeat(32)}`, expect: 'unsupported digest algorithm' },
    { text: `a@sha256:${'0'.repeat(63)}`, expect: 'invalid checksum digest length' },
    { text: `a@sha256:${'A'.repeat(64)}`, expect: 'invalid checksum digest format' },
  ];
  for (const { text, expect } of rows) {
    const message = `failed to parse image value(${text.slice(0, 1024)}), error: ${expect}`;
    t.throws(() => parseImage(text), { name: 'ExpectedError', message }, text.slice(0, 30));
  }
});

t.test('a tag replaces the digest, and a digest the tag', async t => {
  const tagged = parseImage('a:v1');
  t.equal(imageText(withTagOrDigest(tagged, 'v2')), 'a:v2');
  t.equal(imageText(withTagOrDigest(tagged, digest)), `a@${digest}`);
  t.equal(imageText(withTagOrDigest(parseImage(`a@${digest}`), 'v2')), 'a:v2');
  t.equal(withTagOrDigest(tagged, 'not a tag'), tagged, 'a text that is neither changes nothing');
  t.equal(withTagOrDigest(tagged, ''), tagged);
});

type ImageOverrider = NonNullable<Overriders['imageOverrider']>[number];

const pod = (image: string | undefined, metadata: object = {}): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', ...metadata } },
  spec: { containers: [{ name: 'c', ...(image !== undefined && { image }) }] },
});
const imageOf = (object: KubeObject): unknown =>
  (object['spec'] as { containers: { image?: unknown }[] }).containers[0]?.image;

t.test('every component of an image can be extended, replaced and removed', async t => {
  const rows: readonly { given: string; overrider: ImageOverrider; expect: string }[] = [
    {
      given: 'reg.io/a:v1',
      overrider: { component: 'Registry', operator: 'replace', value: 'other.io' },
      expect: 'other.io/a:v1',
    },
    {
      given: 'reg.io/a:v1',
      overrider: { component: 'Registry', operator: 'add', value: ':5000' },
      expect: 'reg.io:5000/a:v1',
    },
    { given: 'reg.io/a:v1', overrider: { component: 'Registry', operator: 'remove' }, expect: 'a:v1' },
    {
      given: 'reg.io/a:v1',
      overrider: { component: 'Repository', operator: 'replace', value: 'b/c' },
      expect: 'reg.io/b/c:v1',
    },
    {
      given: 'reg.io/a:v1',
      overrider: { component: 'Repository', operator: 'add', value: '-x' },
      expect: 'reg.io/a-x:v1',
    },
    { given: 'a:v1', overrider: { component: 'Tag', operator: 'add', value: '-rc1' }, expect: 'a:v1-rc1' },
    { given: 'a', overrider: { component: 'Tag', operator: 'add', value: 'v1' }, expect: 'a:v1' },
    { given: 'a:v1', overrider: { component: 'Tag', operator: 'replace', value: digest }, expect: `a@${digest}` },
    { given: 'a:v1', overrider: { component: 'Tag', operator: 'remove' }, expect: 'a' },
    { given: `a@${digest}`, overrider: { component: 'Tag', operator: 'remove' }, expect: 'a' },
  ];
  for (const { given, overrider, expect } of rows) {
    const object = pod(given);
    t.equal(
      imageOf(overrideImages(object, overrider)),
      expect,
      `${overrider.operator} ${overrider.component} of ${given}`,
    );
    t.strictSame(object, pod(given), 'the manifest is not changed');
  }
});

t.test('the images are those of containers of well-known kinds, or at the path of the predicate', async t => {
  const replace = { component: 'Tag', operator: 'replace', value: 'v2' } as const;
  const unknown: KubeObject = { apiVersion: 'x/v1', kind: 'Foo', metadata: { name: 'f' }, spec: { image: 'a:v1' } };
  t.equal(overrideImages(unknown, replace), unknown, 'other kinds are unchanged');
  t.match(overrideImages(unknown, { ...replace, predicate: { path: '/spec/image' } }), { spec: { image: 'a:v2' } });
  t.throws(() => overrideImages(unknown, { ...replace, predicate: { path: 'spec/image' } }), {
    message: 'imagePath should be start with / character',
  });
  t.throws(() => overrideImages(unknown, { ...replace, predicate: { path: '/spec/none' } }), {
    message: 'failed to obtain imageValue with predicate path(/spec/none)',
  });
  t.throws(() => overrideImages(pod('a:v1', { labels: { a: 1 } }), replace), {
    message: 'failed to convert Pod from unstructured object: metadata.labels must be strings',
  });
  t.throws(() => overrideImages(pod(undefined), replace), {
    message: 'failed to parse image value(), error: invalid reference format',
  });
  const component = 'Name' as ImageOverrider['component'];
  t.throws(() => overrideImages(pod('a'), { ...replace, component }), { message: 'unsupported image component(Name)' });
});
