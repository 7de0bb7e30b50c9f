import type { KubeObject } from '../../../apimachinery/interface.js';
import type { ByteProbe } from '../../../client/interface.js';
import type { Stored } from '../interface.js';
import type { InSteps } from '../../../lib/time-slice.js';
import type { DeltaBases } from '../../../lib/compression/delta.js';
import type { RecentBytes } from '../../../lib/compression/recent-bytes.js';
import type { ReplacedObjects } from './replaced-objects.js';

/** The stored form of the objects of a resource. */
export interface Layout {
  /** The storage version. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly keys: 'declared' | 'sorted';
  readonly itemsCarryType: boolean;
  /**
   * Returns the object with its fields in the order of `keys` and without fields that are not stored. The top level is always a copy; parts that
   * are in this form already, or that the object shares with `old`, which is in this form, are not copied. In steps, for large objects.
   */
  canonicalSteps(object: KubeObject, old?: KubeObject): InSteps<KubeObject>;
  /** Returns a copy of a draft with the fields that readers get besides those that are stored. Absent if there are none. */
  completeSteps?(object: KubeObject): InSteps<KubeObject>;
  /** Parses text that this program has written. Absent if the text is plain JSON. */
  readonly read?: (text: string) => KubeObject;
  /** Parses bytes of another writer. */
  parse(bytes: Buffer): KubeObject;
  /** As `parse`, in steps, for large values. Absent: they are parsed at once. */
  parseSteps?(bytes: Buffer): InSteps<KubeObject>;
  /** Returns false if bytes of another writer certainly do not match the probe. Absent if this is unknown. */
  mightContain?(bytes: Buffer, probe: ByteProbe): boolean;
  /** Reports whether bytes of another writer are JSON whose metadata do not change when they are read. Absent: never. */
  keepsMetadata?(bytes: Buffer): boolean;
  /** Returns an object of another writer, or of an older schema, in the form in which it would be written now. */
  normalize(object: KubeObject): KubeObject;
  /** As `normalize`, in steps, for large objects. Absent: they are normalized at once. */
  normalizeSteps?(object: KubeObject): InSteps<KubeObject>;
  /** Returns the bytes of a draft for the store. Absent if the bytes are the JSON of the draft. */
  encode?(draft: Pick<Stored, 'json' | 'object'>): Buffer;
  /**
   * Returns the object in the store before normalization if its bytes differ from those of the draft that was read from them, so that a write
   * of that draft is a change. Absent if they never differ.
   */
  original?(bytes: Buffer, draft: Pick<Stored, 'json' | 'object'>): KubeObject | undefined;
  /** As `original`, in steps, for large values. */
  originalSteps?(bytes: Buffer, draft: Pick<Stored, 'json' | 'object'>): InSteps<KubeObject | undefined>;
  /** Objects are frozen before they are returned (tests). */
  readonly freeze: boolean;
}

/** An object and its bytes without resourceVersion. */
interface EncodedForm extends Stored {
  readonly gap: number;
  /** The same as text; undefined unless every character is one byte. */
  readonly text: string | undefined;
}

/** An encoded object before it is stored. */
export interface EncodedDraft extends EncodedForm {
  /** What readers get if it differs: the object has defaults that are not stored. */
  readonly complete: EncodedForm | undefined;
}

/** The state that all stored objects of a resource share. `recent` and `bases` reduce the memory of their bytes. */
export interface Encoding {
  readonly layout: Layout;
  readonly recent: RecentBytes | undefined;
  readonly bases: DeltaBases;
  readonly replaced: ReplacedObjects;
  /** `Stored.typeLength` of every object. */
  readonly typeLength: number;
  /**
   * Encodes an object, which the caller must not change afterwards. `incomplete`: the object may lack defaults that readers get. `replaced`: the stored
   * object that this one replaces, with whose parsed object, if that is in memory, it may share fields.
   */
  readonly draft: (
    key: string,
    object: KubeObject,
    incomplete?: boolean,
    replaced?: { readonly inMemory: KubeObject | undefined },
  ) => EncodedDraft;
  /** As `draft`, in steps, for large objects. The object must not be changed before the last one either. */
  readonly draftSteps: (...of: Parameters<Encoding['draft']>) => InSteps<EncodedDraft>;
}
