/** What Go, and the languages that follow it (CEL, JSONPath), write after a backslash in quoted text, and what it stands for. */
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

/** What a character is written as in a quoted text; the double quote, too. */
export const escapes: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(namedEscapes).map(([letter, character]) => [character, `\\${letter}`])),
  '"': '\\"',
};
