export type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const cbor = /^application\/(.+\+)?cbor/;

/**
 * Returns an OpenAPI document without the parts that are not compared: descriptions; an allOf around a reference, which upstream adds for a
 * description; the CBOR media types, which only an alpha feature serves; and enums, which are off in the recorded documents.
 */
export function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter(item => !(typeof item === 'string' && cbor.test(item))).map(comparable);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(
    ([key, member]) =>
      !(key === 'description' && typeof member === 'string') &&
      !(key === 'enum' && Array.isArray(member)) &&
      !cbor.test(key),
  );
  const [only] = entries;
  if (entries.length === 1 && only?.[0] === 'allOf' && Array.isArray(only[1]) && only[1].length === 1)
    return comparable(only[1][0]);
  return Object.fromEntries(entries.map(([key, member]) => [key, comparable(member)]));
}
