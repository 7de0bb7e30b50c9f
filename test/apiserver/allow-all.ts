import type { Authorizer } from '../../authn/interface.js';

/** For servers that ask nobody. */
export const allowAll: Authorizer = () => ({ allowed: true, reason: '' });
