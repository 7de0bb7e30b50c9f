/** Finds values in JSON bytes without parsing them. */

const quote = 0x22;
const backslash = 0x5c;
const open = 0x7b;
const openList = 0x5b;
const close = 0x7d;
const closeList = 0x5d;
const comma = 0x2c;

/** Returns the index after the string that starts at `at`. */
function afterString(json: Buffer, at: number): number {
  for (let end = json.indexOf(quote, at + 1); end >= 0; end = json.indexOf(quote, end + 1)) {
    let escapes = 0;
    while (json[end - 1 - escapes] === backslash) escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
  return json.length;
}

/** Returns the index after the value that starts at `at`. */
function afterValue(json: Buffer, at: number): number {
  let depth = 0;
  for (let i = at; i < json.length; i++) {
    const byte = json[i];
    if (byte === quote) {
      i = afterString(json, i) - 1;
      if (depth === 0) return i + 1;
    } else if (byte === open || byte === openList) depth++;
    else if (byte === close || byte === closeList) {
      if (depth === 0) return i;
      if (--depth === 0) return i + 1;
    } else if (byte === comma && depth === 0) return i;
  }
  return json.length;
}

/**
 * hot: returns the bytes of the value of a top-level key; undefined when the object has no such key. The JSON must have no white space between
 * tokens.
 */
export function sliceValue(json: Buffer, key: string): Buffer | undefined {
  let at = 1;
  while (at < json.length && json[at] === quote) {
    const afterKey = afterString(json, at);
    const end = afterValue(json, afterKey + 1);
    if (afterKey - at - 2 === key.length && json.toString('latin1', at + 1, afterKey - 1) === key)
      return json.subarray(afterKey + 1, end);
    at = end + 1;
  }
  return undefined;
}
