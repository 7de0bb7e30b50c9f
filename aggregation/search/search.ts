import type { Delegate } from '../../apiserver/interface.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import type { Catalogue } from '../../registry/interface.js';
import type { Authorizer } from '../../registry/access.js';
import { createMembers } from '../members/members.js';
import { startCaches } from './caches.js';
import { createProxying, type ProxyingDeps } from './proxying.js';
import { serveSearch } from './search-cache.js';

interface Search {
  readonly delegates: readonly Delegate[];
  close(): Promise<void>;
}

interface SearchDeps extends Omit<ProxyingDeps, 'caches' | 'client'> {
  readonly catalogue: Catalogue;
  /** Decides which objects a query of a user may find. */
  readonly authorize: Authorizer;
}

/** Starts karmada-search. It runs until the context's signal aborts; `close` closes the connections to the members. */
export function createSearch(context: ControllerContext, deps: SearchDeps): Search {
  const { catalogue, authorize } = deps;
  const { client } = context;
  const members = createMembers(client, 'karmada-search', { meter: context.meter });
  const caches = startCaches(context, { catalogue, members, indexesText: true });
  const serveProxying = createProxying({ ...deps, caches, client });
  const isOurs = (group: string, version: string): boolean => group === 'search.karmada.io' && version === 'v1alpha1';
  const search: Delegate = ({ group, version, resource, name }) =>
    isOurs(group, version) && resource === 'search' && name !== ''
      ? context => serveSearch(context, { caches, catalogue, authorize })
      : undefined;
  const proxying: Delegate = ({ group, version, resource, subresource }) =>
    isOurs(group, version) && resource === 'proxying' && subresource === 'proxy' ? serveProxying : undefined;
  return { delegates: [search, proxying], close: () => members.close() };
}
