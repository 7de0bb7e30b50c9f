/** What is read of tokens for members, without verifying them. */
import t from 'tap';
import { readBoundToken } from '../../../controllers/member-tokens/bound-token.js';

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (claims: unknown): string => `${part({ alg: 'RS256' })}.${part(claims)}.c2lnbmF0dXJl`;
const claims = { sub: 'system:serviceaccount:karmada-cluster:karmada-member1', iat: 1000, exp: 4600 };

t.test('a token that expires says whose it is, and for how long', async t => {
  t.strictSame(readBoundToken(token(claims)), {
    ...{ namespace: 'karmada-cluster', account: 'karmada-member1' },
    ...{ issuedAt: 1_000_000, expiresAt: 4_600_000 },
  });
});

t.test('other texts are no tokens that expire', async t => {
  const { exp: _, ...lasting } = claims;
  const rows: readonly [what: string, text: string][] = [
    ['nothing', ''],
    ['no token', 'abcdef.0123456789abcdef'],
    ['claims that are not JSON', `${part({})}.bm8ganNvbg.c2ln`],
    ['claims that are no object', token([])],
    ['a token without expiry, as those in Secrets', token(lasting)],
    ['another subject', token({ ...claims, sub: 'system:node:n1' })],
    ['a time that is no number', token({ ...claims, exp: '4600' })],
    ['a time before the epoch', token({ ...claims, iat: -1 })],
    ['a text that is too long', token({ ...claims, more: 'x'.repeat(40_000) })],
  ];
  for (const [what, text] of rows) t.equal(readBoundToken(text), undefined, what);
});
