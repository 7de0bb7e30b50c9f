import type { Authorizer } from '../../authn/interface.js';

/** An authorizer that allows every request. */
export const allowAll: Authorizer = () => ({ allowed: true, reason: '' });
