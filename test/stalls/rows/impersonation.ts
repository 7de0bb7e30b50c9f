/** Requests as a user with thousands of groups and extra values. They come over HTTP/2: over HTTP/1.1, Node reads the first 2,000 headers. */
import { Streams } from '../../conformance/fuzz/send.js';
import { fuzzRequestOf, type Row } from '../row.js';
import { accounts, grant, revoke, tokenOf } from './authorization.js';
import { entries, get, range, remove } from './objects.js';

type Headers = Record<string, string | string[]>;

const authentication = 'authentication.k8s.io';

/** The rights that plain impersonation needs, for the groups `g0` to `g${size - 1}` by their names. */
const plainRules = (size: number): object[] => [
  { verbs: ['impersonate'], apiGroups: [''], resources: ['users'] },
  { verbs: ['impersonate'], apiGroups: [''], resources: ['groups'], resourceNames: range(size, i => `g${i}`) },
  { verbs: ['impersonate'], apiGroups: [authentication], resources: ['*'] },
];

/** The rights that impersonation in the mode `user-info` needs. */
const constrainedRules: readonly object[] = [
  { verbs: ['impersonate-on:user-info:get'], nonResourceURLs: ['/api'] },
  { verbs: ['impersonate:user-info'], apiGroups: [authentication], resources: ['*'] },
];

/** Sends requests as another user, with the token of a service account that has these rights. The server must answer them with `status`. */
const impersonating = (
  name: string,
  size: number,
  status: number,
  rules: (size: number) => readonly object[],
  headers: (size: number) => Headers,
): Row => ({
  name: `impersonation/${name}`,
  size,
  async play(fixture) {
    const own = fixture.name();
    await grant(fixture, own, rules(fixture.size), [{ kind: 'ServiceAccount', name: own, namespace: 'default' }]);
    const token = await tokenOf(fixture, own);
    const streams = new Streams({ ...fixture.target, cert: '', key: '' });
    try {
      const all = { authorization: `Bearer ${token}`, ...headers(fixture.size) };
      const answer = await streams.send(fuzzRequestOf({ ...get('/api'), headers: all }));
      if (answer.status !== status) throw new Error(`${answer.status}: ${answer.text.slice(0, 500)}`);
    } finally {
      streams.close();
    }
    await fixture.must(remove(`${accounts}/${own}`));
    await revoke(fixture, own);
  },
});

const asJane: Headers = { 'impersonate-user': 'jane' };
const groups = (size: number): Headers => ({ 'impersonate-group': range(size, i => `g${i}`) });
const extra = (size: number, key: (i: number) => string): Headers =>
  entries(size, i => [`impersonate-extra-${key(i)}`, 'v']) as Headers;

/** Returns a key in one of many percent-encodings: that of the bits of a number. */
const encodedKey = (bits: number): string => range(14, i => ((bits >> i) & 1 ? '%61' : 'a')).join('');

export const impersonationRows: readonly Row[] = [
  impersonating('groups', 15_000, 200, plainRules, size => ({ ...asJane, ...groups(size) })),
  impersonating('extra-keys', 12_000, 200, plainRules, size => ({ ...asJane, ...extra(size, i => `k${i}`) })),
  impersonating('extra-values', 15_000, 200, plainRules, size => ({
    ...asJane,
    'impersonate-extra-k': range(size, i => `v${i}`),
  })),
  impersonating('extra-encodings', 9000, 200, plainRules, size => ({ ...asJane, ...extra(size, encodedKey) })),
  impersonating(
    'constrained',
    10_000,
    200,
    () => constrainedRules,
    size => ({ ...asJane, ...groups(100), ...extra(size, i => `example.com%2fk${i}`) }),
  ),
  impersonating('without-user', 8000, 400, plainRules, size => ({ ...groups(size), ...extra(size, i => `k${i}`) })),
];
