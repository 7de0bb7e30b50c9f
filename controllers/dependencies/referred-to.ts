import type { KubeObject } from '../../apimachinery/interface.js';
import { namespacedName } from '../../apimachinery/meta/gvk.js';
import type { Informer } from '../../client/runtime/interface.js';
import { walk } from '../../client/runtime/mirrors/walk.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import type { DependentReference } from '../interpreter/interface.js';
import { refersTo } from './references.js';

/**
 * Yields the existing objects of a mirror to which a reference refers. A namespace may have ten thousands, so that those which a label selector may
 * select are read in several turns of the event loop. Rejects with an ExpectedError if the reference has neither a name nor a selector.
 */
export async function* referredTo(
  reference: DependentReference,
  informer: Pick<Informer, 'get' | 'cached' | 'keysIn'>,
): AsyncGenerator<KubeObject, void> {
  const { namespace, name, labelSelector } = reference;
  if (!name && !labelSelector)
    throw new ExpectedError(
      'the Name and LabelSelector in the DependentObjectReference cannot be empty at the same time',
    );
  if (name) {
    const object = informer.get(namespacedName(namespace, name));
    if (object) yield object;
    return;
  }
  const keys = namespace ? informer.keysIn(namespace) : informer.cached.keys();
  for await (const object of walk(informer, keys)) if (refersTo(reference, object)) yield object;
}
