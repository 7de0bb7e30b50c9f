const tilde = 0x7e;
/** The characters that `~0` and `~1` stand for. */
const escaped: readonly (number | undefined)[] = [tilde, 0x2f];

/** Returns a long text without its escapes. Building it from its parts takes ten times as long for a million of them. */
function longToken(text: string): string {
  const units = new Uint16Array(text.length);
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const meant = unit === tilde ? escaped[text.charCodeAt(i + 1) - 0x30] : undefined;
    if (meant !== undefined) i++;
    units[length++] = meant ?? unit;
  }
  return Buffer.from(units.buffer, 0, 2 * length).toString('utf16le');
}

const maxShortToken = 1024;

function tokenOf(text: string): string {
  if (!text.includes('~')) return text;
  return text.length > maxShortToken ? longToken(text) : text.split('~1').join('/').split('~0').join('~');
}

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
