import { internal } from '../../../apimachinery/errors/status.js';
import type { InSteps } from '../../../lib/time-slice.js';
import type { EncodedDraft, Encoding } from './interface.js';

/** What bytes of another writer, or of an older schema, are read as. */
export interface DecodedBytes {
  readonly draft: EncodedDraft;
  /** The JSON of the object before normalization, if it differs from that of the draft. */
  readonly original: Buffer | undefined;
}

const originalJson = ({ json }: EncodedDraft, { json: original }: EncodedDraft): Buffer | undefined =>
  original.equals(json) ? undefined : original;

const undecodable = (key: string, error: unknown): Error =>
  internal(`the value of ${key} cannot be decoded: ${(error as Error).message}`);

/** hot: Decodes bytes at once: most values are small, and steps would cost as much as they do. Throws 500 for bytes that are not an object. */
export function decodeStored(encoding: Encoding, key: string, bytes: Buffer): DecodedBytes {
  const { layout } = encoding;
  const draft = readDraft(encoding, key, bytes);
  const original = layout.original?.(bytes, draft);
  return { draft, original: original && originalJson(draft, encoding.draft(key, original)) };
}

function readDraft(encoding: Encoding, key: string, bytes: Buffer): EncodedDraft {
  const { layout } = encoding;
  try {
    return encoding.draft(key, layout.normalize(layout.parse(bytes)));
  } catch (error) {
    throw undecodable(key, error);
  }
}

/** As `decodeStored`, in steps, for large values. */
export function* decodeStoredSteps(encoding: Encoding, key: string, bytes: Buffer): InSteps<DecodedBytes> {
  const { layout } = encoding;
  const draft = yield* readDraftSteps(encoding, key, bytes);
  yield;
  const original = layout.originalSteps ? yield* layout.originalSteps(bytes, draft) : layout.original?.(bytes, draft);
  yield;
  return { draft, original: original && originalJson(draft, yield* encoding.draftSteps(key, original)) };
}

function* readDraftSteps(encoding: Encoding, key: string, bytes: Buffer): InSteps<EncodedDraft> {
  const { layout } = encoding;
  try {
    const parsed = layout.parseSteps ? yield* layout.parseSteps(bytes) : layout.parse(bytes);
    yield;
    const object = layout.normalizeSteps ? yield* layout.normalizeSteps(parsed) : layout.normalize(parsed);
    yield;
    return yield* encoding.draftSteps(key, object);
  } catch (error) {
    throw undecodable(key, error);
  }
}
