/** The live objects that tokens are judged by. */
import type { KubeObject } from '../../../openapi/interface.js';
import type { Client } from '../../../registry/interface.js';

/** Rejects with NotFound. Answers come from memory: a token is judged with every request. */
export type Lookup = (namespace: string, name: string) => Promise<KubeObject>;

export interface Lookups {
  readonly serviceAccount: Lookup;
  readonly pod: Lookup;
  readonly secret: Lookup;
  readonly node: Lookup;
}

export function lookupsOf(client: Pick<Client, 'get'>): Lookups {
  const lookup =
    (resource: string): Lookup =>
    (namespace, name) =>
      client.get({ group: '', version: 'v1', resource }, { namespace, name });
  return {
    serviceAccount: lookup('serviceaccounts'),
    pod: lookup('pods'),
    secret: lookup('secrets'),
    node: lookup('nodes'),
  };
}
