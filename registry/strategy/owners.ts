import type { KubeObject, OwnerReference } from '../../openapi/interface.js';
import { semanticEqual } from '../../openapi/meta/equality.js';

/** Removes owner references that stand twice, in place (OBJ-006). Their uids, '' when there were none. */
// as apiserver/pkg/endpoints/handlers dedupOwnerReferences
export function dedupOwners(draft: KubeObject): string {
  const owners = draft.metadata.ownerReferences;
  if (owners === undefined || owners.length < 2) return '';
  const kept: OwnerReference[] = [];
  const dropped: string[] = [];
  for (const owner of owners) {
    if (kept.some(k => k.uid === owner.uid && semanticEqual(k, owner))) dropped.push(owner.uid);
    else kept.push(owner);
  }
  if (dropped.length > 0) draft.metadata.ownerReferences = kept;
  return dropped.join(', ');
}

const tail =
  'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ';

export const ownersWarning = (uids: string): string =>
  `.metadata.ownerReferences contains duplicate entries; ${tail}${uids}`;

export const ownersAfterAdmissionWarning = (uids: string): string =>
  `.metadata.ownerReferences contains duplicate entries after mutating admission happens; ${tail}${uids}`;
