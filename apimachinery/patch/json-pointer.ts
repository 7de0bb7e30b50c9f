/** The tokens of a JSON pointer (RFC 6901). What stands before the first slash is dropped, as evanphx/json-patch does. */
export function parsePointer(pointer: string): string[] {
  const [, ...tokens] = pointer.split('/');
  return tokens.map(token => (token.includes('~') ? token.replaceAll('~1', '/').replaceAll('~0', '~') : token));
}
