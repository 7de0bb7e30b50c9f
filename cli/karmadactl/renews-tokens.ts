import type { RemoteClient } from '../../aggregation/interface.js';

/**
 * Returns whether the control plane renews tokens of members that expire: Flagship does, which names itself in /statusz, and Karmada does not. One that
 * does not show this page counts as one that does not renew them. Rejects when it cannot be reached.
 */
export async function renewsTokens(control: RemoteClient): Promise<boolean> {
  const { status, body } = await control.raw({ method: 'GET', path: '/statusz', headers: { accept: 'text/plain' } });
  return status === 200 && /^Flagship version: /m.test(body.toString('utf8'));
}
