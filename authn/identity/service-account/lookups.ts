/** Reads the objects that tokens depend on. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { get } from '../../../admission/lookup.js';
import type { Client } from '../../../client/interface.js';

/** Rejects with NotFound. Called for every request with a token, so it should read from memory. */
export type Lookup = (namespace: string, name: string) => Promise<KubeObject>;

export interface Lookups {
  readonly serviceAccount: Lookup;
  readonly pod: Lookup;
  readonly secret: Lookup;
  readonly node: Lookup;
}

/** Returns lookups that read from memory, and from the store when memory lacks the object, which may be new. */
export function lookupsOf(client: Pick<Client, 'get'>): Lookups {
  const lookup = (resource: string): Lookup => {
    const where = { group: '', version: 'v1', resource };
    return async (namespace, name) => get(client, where, { namespace, name });
  };
  return {
    serviceAccount: lookup('serviceaccounts'),
    pod: lookup('pods'),
    secret: lookup('secrets'),
    node: lookup('nodes'),
  };
}
