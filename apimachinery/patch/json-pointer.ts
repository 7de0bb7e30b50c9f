// `replaceAll` takes five times as long for a million escapes.
const tokenOf = (text: string): string =>
  text.includes('~') ? text.split('~1').join('/').split('~0').join('~') : text;

/** Returns the tokens of a JSON pointer (RFC 6901). Text before the first slash is ignored, as by evanphx/json-patch. */
export function parsePointer(pointer: string): string[] {
  const [, ...tokens] = pointer.split('/');
  return tokens.map(tokenOf);
}

/**
 * Yields the tokens of `parsePointer` one by one, so that a pointer of megabytes is read only as far as it leads.
 * `isLast`: no other token follows.
 */
export function* pointerTokens(pointer: string): Generator<{ readonly token: string; readonly isLast: boolean }> {
  for (let slash = pointer.indexOf('/'); slash >= 0;) {
    const next = pointer.indexOf('/', slash + 1);
    const isLast = next < 0;
    yield { token: tokenOf(pointer.slice(slash + 1, isLast ? undefined : next)), isLast };
    slash = next;
  }
}
