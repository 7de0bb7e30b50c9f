import { LRUCache } from 'lru-cache';
import { gvrText } from '../../../apimachinery/meta/gvk.js';
import type { GroupVersionResource, KubeObject } from '../../../apimachinery/interface.js';
import type { CachedObject } from '../../../client/interface.js';
import { keyOf } from '../../../client/key.js';
import { DeltaBases, DeltaCoder, type Packed } from '../../../lib/compression/delta.js';
import { type BytesHolder, RecentBytes } from '../../../lib/compression/recent-bytes.js';
import { jsonText, parseJson } from '../../../lib/json/json.js';
import type { Received } from '../../interface.js';

/** Maximum number of resources with bases of their own. */
const maxResources = 256;
/** Larger objects, in bytes, stay parsed: writing one as text would take a considerable part of a turn. */
const maxTextBytes = 64 << 10;

/**
 * Objects of other servers that are mirrored and rarely read, such as those that Works have created. One that was not read for some seconds is held as
 * text, and parsed again when it is read. Clusters have similar objects of the same name, so most texts are the difference to that of another cluster.
 */
export class HeldTexts {
  readonly #recent: RecentBytes;
  readonly #coder = new DeltaCoder();
  readonly #bases = new LRUCache<string, DeltaBases>({ max: maxResources });

  constructor(recent = new RecentBytes()) {
    this.#recent = recent;
  }

  /** Returns the object as a mirror holds it. `isRead`: it will be read soon. */
  hold(resource: GroupVersionResource, received: Received, isRead: boolean): CachedObject {
    const { object, size } = received;
    const revision = object.metadata.resourceVersion ?? '';
    if (size > maxTextBytes) return { object, size, revision };
    const held = new HeldText(received, { bases: this.#basesOf(resource), recent: this.#recent });
    if (isRead) this.#recent.note(held);
    else held.compact();
    return held;
  }

  #basesOf(resource: GroupVersionResource): DeltaBases {
    const id = gvrText(resource);
    let bases = this.#bases.get(id);
    if (!bases) this.#bases.set(id, (bases = new DeltaBases(this.#coder)));
    return bases;
  }
}

interface Holding {
  readonly bases: DeltaBases;
  readonly recent: RecentBytes;
}

/** An object that is parsed while it is used, and text otherwise. */
class HeldText implements CachedObject, BytesHolder {
  readonly revision: string;
  readonly size: number;
  usedAt = 0;
  readonly #holding: Holding;
  #parsed: KubeObject | undefined;
  /** Absent until the object was first unused. It stays, since the object does not change. */
  #text: string | Packed | undefined;

  constructor({ object, size }: Received, holding: Holding) {
    this.revision = object.metadata.resourceVersion ?? '';
    this.size = size;
    this.#parsed = object;
    this.#holding = holding;
  }

  get object(): KubeObject {
    const { recent } = this.#holding;
    if (this.#parsed) {
      this.usedAt = recent.now;
      return this.#parsed;
    }
    const text = this.#text ?? '';
    const bytes = Buffer.from(typeof text === 'string' ? text : text.text, 'latin1');
    this.#parsed = parseJson(bytes.toString('utf8')) as KubeObject;
    recent.note(this);
    return this.#parsed;
  }

  compact(): void {
    if (this.#parsed && this.#text === undefined) {
      const text = Buffer.from(jsonText(this.#parsed)).toString('latin1');
      this.#text = this.#holding.bases.pack(text, keyOf(this.#parsed)) ?? text;
    }
    this.#parsed = undefined;
  }
}
