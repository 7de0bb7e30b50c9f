/** Reads the objects that tokens depend on. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Maybe } from '../../../lib/maybe.js';
import type { Client } from '../../../client/interface.js';
import { getRecent } from '../../../client/recent.js';

/** Rejects with NotFound. hot: called for every request with a token; it returns no promise for an object in memory. */
export type Lookup = (namespace: string, name: string) => Maybe<KubeObject>;

export interface Lookups {
  readonly serviceAccount: Lookup;
  readonly pod: Lookup;
  readonly secret: Lookup;
  readonly node: Lookup;
}

/** Returns lookups that read from memory, and from the store when memory lacks the object, which may be new. */
export function lookupsOf(client: () => Pick<Client, 'get' | 'cached'>): Lookups {
  const lookup = (resource: string): Lookup => {
    const where = { group: '', version: 'v1', resource };
    return (namespace, name) => getRecent(client(), where, { namespace, name });
  };
  return {
    serviceAccount: lookup('serviceaccounts'),
    pod: lookup('pods'),
    secret: lookup('secrets'),
    node: lookup('nodes'),
  };
}
