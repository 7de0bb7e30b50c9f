import type { KubeObject, OwnerReference } from '../../apimachinery/interface.js';

/** Returns a key that is equal for equal references. hot: an object may have tens of thousands. */
const keyOf = ({ uid, apiVersion, kind, name, controller, blockOwnerDeletion }: OwnerReference): string =>
  JSON.stringify([uid, apiVersion, kind, name, controller ?? null, blockOwnerDeletion ?? null]);

/** Removes duplicate owner references in place. Returns their uids; '' without duplicates. */
// as apiserver/pkg/endpoints/handlers dedupOwnerReferences
export function dedupOwners(draft: KubeObject): string {
  const owners = draft.metadata.ownerReferences;
  if (owners === undefined || owners.length < 2) return '';
  const kept = new Map<string, OwnerReference>();
  const dropped: string[] = [];
  for (const owner of owners) {
    const key = keyOf(owner);
    if (kept.has(key)) dropped.push(owner.uid);
    else kept.set(key, owner);
  }
  if (dropped.length > 0) draft.metadata.ownerReferences = [...kept.values()];
  return dropped.join(', ');
}

const tail =
  'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ';

/** Returns the warning about duplicate owners in the body of a request. as apiserver/pkg/endpoints/handlers dedupOwnerReferencesAndAddWarning */
export const ownersWarning = (uids: string): string =>
  `.metadata.ownerReferences contains duplicate entries; ${tail}${uids}`;

/** Returns the warning about duplicate owners that admission has added. */
export const ownersAfterAdmissionWarning = (uids: string): string =>
  `.metadata.ownerReferences contains duplicate entries after mutating admission happens; ${tail}${uids}`;
