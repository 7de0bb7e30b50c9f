import t from 'tap';
import { bootstrapTokens } from '../../../authn/identity/bootstrap-token.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { notFound } from '../../../apimachinery/errors/status.js';

const now = new Date('2026-01-02T03:04:05Z');
const good = {
  'token-id': 'abcdef',
  'token-secret': '0123456789abcdef',
  'usage-bootstrap-authentication': 'true',
  expiration: '2026-01-02T03:04:06Z',
  'auth-extra-groups': 'system:bootstrappers:x,system:bootstrappers:a',
};

const secret = (data: Record<string, string>, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'bootstrap-token-abcdef' },
  type: 'bootstrap.kubernetes.io/token',
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
  ...more,
});

t.test('bootstrap tokens authenticate while their Secret is valid', async t => {
  const token = 'abcdef.0123456789abcdef';
  const groups = ['system:bootstrappers', 'system:bootstrappers:a', 'system:bootstrappers:x'];
  const jane = { identity: { name: 'system:bootstrap:abcdef', groups } };
  const table: readonly [string, string, KubeObject, object | undefined][] = [
    ['good', token, secret(good), jane],
    ['without end', token, secret({ ...good, expiration: '' }), jane],
    [
      'default group',
      token,
      secret({ ...good, 'auth-extra-groups': '' }),
      { identity: { ...jane.identity, groups: ['system:bootstrappers'] } },
    ],
    ['not of the form', 'Abcdef.0123456789abcdef', secret(good), undefined],
    ['other secret', 'abcdef.0123456789abcdee', secret(good), undefined],
    ['not there', 'abcdeg.0123456789abcdef', secret(good), undefined],
    ['expired', token, secret({ ...good, expiration: '2026-01-02T03:04:05Z' }), undefined],
    ['end with an offset', token, secret({ ...good, expiration: '2026-01-02T05:04:06+02:00' }), jane],
    ['end not as in RFC 3339', token, secret({ ...good, expiration: 'Fri, 01 Jan 2100 00:00:00 GMT' }), undefined],
    ['end without a zone', token, secret({ ...good, expiration: '2100-01-01' }), undefined],
    ['nonsense as end', token, secret({ ...good, expiration: 'soon' }), undefined],
    ['other id', token, secret({ ...good, 'token-id': 'xxxxxx' }), undefined],
    ['not for this', token, secret({ ...good, 'usage-bootstrap-authentication': 'yes' }), undefined],
    ['foreign group', token, secret({ ...good, 'auth-extra-groups': 'system:masters' }), undefined],
    ['other type', token, secret(good, { type: 'Opaque' }), undefined],
    ['going', token, secret(good, { metadata: { name: 'x', deletionTimestamp: '2026-01-01T00:00:00Z' } }), undefined],
  ];
  for (const [name, shown, held, expect] of table) {
    const authenticate = bootstrapTokens(
      async (namespace, wanted) => {
        if (`${namespace}/${wanted}` === 'kube-system/bootstrap-token-abcdef') return held;
        throw notFound({ group: '', resource: 'secrets' }, wanted);
      },
      () => now,
    );
    t.same(await authenticate(shown, []), expect, name);
  }
});
