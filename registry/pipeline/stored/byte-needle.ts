/** A text to search for in stored bytes. */
interface ByteNeedle {
  readonly bytes: Buffer;
  /** One character for each byte. */
  readonly text: string;
}

/** Cache of needles. Its size is bounded, since all texts are constants in the code. */
const needles = new Map<string, ByteNeedle>();

/** Returns the needle of a text, from the cache after the first call. */
export function needleOf(text: string): ByteNeedle {
  const known = needles.get(text);
  if (known) return known;
  const bytes = Buffer.from(text);
  const needle = { bytes, text: bytes.toString('latin1') };
  needles.set(text, needle);
  return needle;
}
