/** The text of a byte probe, in the two forms in which stored objects are in memory. */
interface ProbeText {
  readonly bytes: Buffer;
  /** One character for each byte. */
  readonly text: string;
}

/** The texts by the string of the probe. Their number is bounded, since all strings are constants in the code. */
const texts = new Map<string, ProbeText>();

/** Returns the text to search for in stored objects, from the cache after the first call. */
export function probeTextOf(text: string): ProbeText {
  const known = texts.get(text);
  if (known) return known;
  const bytes = Buffer.from(text);
  const made = { bytes, text: bytes.toString('latin1') };
  texts.set(text, made);
  return made;
}
