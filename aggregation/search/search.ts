import type { Delegate } from '../../apiserver/interface.js';
import type { ControllerContext } from '../../controllers/runtime/interface.js';
import type { Catalogue } from '../../registry/interface.js';
import { createMembers } from '../members/members.js';
import { startCaches } from './caches.js';
import { serveSearch } from './search-cache.js';

export interface Search {
  readonly delegates: readonly Delegate[];
  close(): Promise<void>;
}

/** karmada-search. Runs until the context's signal aborts; `close` ends the connections to the members. */
export function createSearch(context: ControllerContext, catalogue: Catalogue): Search {
  const members = createMembers(context.client, 'karmada-search');
  const caches = startCaches(context, { catalogue, members });
  const search: Delegate = ({ group, version, resource, name }) =>
    group === 'search.karmada.io' && version === 'v1alpha1' && resource === 'search' && name !== ''
      ? passage => serveSearch(passage, { caches, catalogue })
      : undefined;
  return { delegates: [search], close: () => members.close() };
}
