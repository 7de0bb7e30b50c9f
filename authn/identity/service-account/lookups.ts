/** The live objects that tokens are judged by. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { get } from '../../../admission/lookup.js';
import type { Client } from '../../../client/interface.js';

/** Rejects with NotFound. A token is judged with every request: answers should come from memory. */
export type Lookup = (namespace: string, name: string) => Promise<KubeObject>;

export interface Lookups {
  readonly serviceAccount: Lookup;
  readonly pod: Lookup;
  readonly secret: Lookup;
  readonly node: Lookup;
}

/** What is in memory will do, unless it lacks the object: a new one may not have arrived there yet. */
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
