/** Characters by their escape letter in Go, and in CEL and JSONPath, which follow it. */
export const namedEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

/** The escape sequence of each character in a quoted text, including the double quote. */
export const escapes: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(namedEscapes).map(([letter, character]) => [character, `\\${letter}`])),
  '"': '\\"',
};
