import type { GroupVersionResource, KubeObject } from '../../../apimachinery/interface.js';
import { gvrText } from '../../../apimachinery/meta/gvk.js';
import type { Informer, InformerFactory, Selection } from '../interface.js';

/** One of the uses of a mirror. */
export interface MirrorUse<T extends KubeObject> {
  readonly informer: Informer<T>;
  /** Ends the use. The mirror is released after its last use. To be called once. */
  end(): void;
}

/** The numbers of uses by resource and selection. */
const uses = new WeakMap<InformerFactory, Map<string, number>>();

/**
 * Uses a mirror of a factory whose other users may come and go: the mirror runs as long as one of them uses it. All of them must use it in this way.
 */
export function useMirror<T extends KubeObject = KubeObject>(
  informers: InformerFactory,
  resource: GroupVersionResource,
  selection: Selection = {},
): MirrorUse<T> {
  let counts = uses.get(informers);
  if (!counts) uses.set(informers, (counts = new Map<string, number>()));
  const known = counts;
  const { namespace = '', labelSelector = '', fieldSelector = '' } = selection;
  const id = JSON.stringify([gvrText(resource), namespace, labelSelector, fieldSelector]);
  known.set(id, (known.get(id) ?? 0) + 1);
  return {
    informer: informers.informer<T>(resource, selection),
    end() {
      const left = (known.get(id) ?? 1) - 1;
      if (left > 0) return void known.set(id, left);
      known.delete(id);
      informers.release(resource, selection);
    },
  };
}
