import type { KubeObject } from '../../../apimachinery/interface.js';
import type { ByteProbe } from '../../../client/interface.js';
import type { Codec, Revision } from '../../../storage/interface.js';
import type { Stored } from '../interface.js';
import type { DeltaBases } from './delta.js';
import type { RecentBytes } from './recent-bytes.js';

/** Says how the objects of a resource are written. */
export interface Layout {
  /** The storage version. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly keys: 'declared' | 'sorted';
  readonly itemsCarryType: boolean;
  /**
   * Returns the object with its fields in the order of `keys` and without what is not written. The top is always a copy; parts that are in this
   * form already, or that the object shares with `standing`, which is in this form, are not copied.
   */
  canonical(object: KubeObject, standing?: KubeObject): KubeObject;
  /** Reads text of this program. Absent: the text is plain JSON. */
  read?(text: string): KubeObject;
  /** Reads bytes of another writer. */
  parse(bytes: Buffer): KubeObject;
  /** Returns false when bytes of another writer surely do not have the mark. Absent: this is not known. */
  mayHave?(bytes: Buffer, mark: ByteProbe): boolean;
  /** Returns an object of another writer, or of an older schema, as it would be written now. */
  normalize(object: KubeObject): KubeObject;
  /** Returns the bytes of a draft for the store. Absent: its JSON. */
  encode?(draft: Pick<Stored, 'json' | 'object'>): Buffer;
  /**
   * Returns the object that is in the store, when its bytes differ from those of the draft that was read from them: writing that draft would be a
   * change. Absent: they never differ.
   */
  standing?(bytes: Buffer, draft: Pick<Stored, 'json' | 'object'>): KubeObject | undefined;
  /** Whether objects are frozen before they are handed out (tests). */
  readonly freeze: boolean;
}

/** An object on its way into the store: bytes and gap. */
export interface Draft extends Stored {
  readonly gap: number;
  /** The same as text; undefined unless every character is one byte. */
  readonly text: string | undefined;
  /** Whether the bytes lack a part of the object, so that they have to be read anew. */
  readonly lacking: boolean;
}

/** Turns objects of a resource into stored bytes, and back. */
export interface StoredCodec extends Codec<Stored> {
  /** Returns the stored form of a draft that was written, at the revision of the commit. It takes over the draft's object and bytes. */
  adopt(value: Stored, key: string, revision: Revision): Stored;
  /**
   * Encodes an object, which the caller must not change any more. `lacking`: the stored bytes lack a part of the object. `over`: the stored object
   * that this one replaces, with which it may share fields.
   */
  draft(key: string, object: KubeObject, lacking?: boolean, over?: Stored): Draft;
}

/** What all stored objects of a resource share. `recent` and `bases` keep their bytes in little memory. */
export interface Encoding {
  readonly layout: Layout;
  readonly recent: RecentBytes | undefined;
  readonly bases: DeltaBases;
  /** `Stored.typeLength` of every object. */
  readonly typeLength: number;
  draft(key: string, object: KubeObject, lacking?: boolean, over?: Stored): Draft;
}
