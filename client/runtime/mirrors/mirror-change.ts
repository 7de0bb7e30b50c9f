import type { KubeObject } from '../../../apimachinery/interface.js';
import type { CachedObject } from '../../interface.js';
import type { Key, ObjectChange } from '../interface.js';

/** A change of an object in a mirror. A class, because instances with getters on the prototype are cheap and there is one per change of every object. */
export class MirrorChange implements ObjectChange {
  readonly key: Key;
  readonly oldCached: CachedObject | undefined;
  readonly newCached: CachedObject | undefined;
  readonly isReplay: boolean;

  constructor(key: Key, oldCached: CachedObject | undefined, newCached: CachedObject | undefined, isReplay = false) {
    this.key = key;
    this.oldCached = oldCached;
    this.newCached = newCached;
    this.isReplay = isReplay;
  }

  get old(): KubeObject | undefined {
    return this.oldCached?.object;
  }

  get new(): KubeObject | undefined {
    return this.newCached?.object;
  }
}
