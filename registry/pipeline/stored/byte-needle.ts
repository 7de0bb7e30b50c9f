/** A text that is looked for in stored bytes. */
export interface ByteNeedle {
  readonly bytes: Buffer;
  /** One character for each byte. */
  readonly text: string;
}

/** The needles of the few texts that callers ask for; all of them stand in code. */
const needles = new Map<string, ByteNeedle>();

/** Returns the needle of a text; it is made once. */
export function needleOf(text: string): ByteNeedle {
  const known = needles.get(text);
  if (known) return known;
  const bytes = Buffer.from(text);
  const needle = { bytes, text: bytes.toString('latin1') };
  needles.set(text, needle);
  return needle;
}
