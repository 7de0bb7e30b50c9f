/** Scans anchors, aliases, tags and directives. */
import { code, type TextCursor, isSpace } from './cursor.js';
import { type YamlToken, token } from './token.js';

const isWord = (c: number): boolean =>
  (c >= 0x30 && c <= 0x39) || (c >= 0x41 && c <= 0x5a) || (c >= 0x61 && c <= 0x7a) || c === 0x5f || c === code.dash;

function takeWord(cursor: TextCursor): string {
  const from = cursor.position;
  while (isWord(cursor.peek())) cursor.position++;
  return cursor.text.slice(from, cursor.position);
}

const afterAnchor = new Set([...'?:,]}%@`'].map(sign => sign.charCodeAt(0)));

/** Scans an anchor or alias; the cursor is at `&` or `*`. */
export function scanAnchor(cursor: TextCursor): YamlToken {
  const type = cursor.peek() === code.star ? 'alias' : 'anchor';
  cursor.position++;
  const name = takeWord(cursor);
  const c = cursor.peek();
  if (name === '' || !(isSpace(c) || afterAnchor.has(c)))
    cursor.fail('did not find expected alphabetic or numeric character');
  return token(type, cursor.line, name);
}

const uriSigns = new Set([...";/?:@&=+$,.!~*'()[]%"].map(sign => sign.charCodeAt(0)));

function takeUri(cursor: TextCursor): string {
  const from = cursor.position;
  for (; isWord(cursor.peek()) || uriSigns.has(cursor.peek()); cursor.position++);
  const uri = cursor.text.slice(from, cursor.position);
  if (!uri.includes('%')) return uri;
  try {
    return decodeURIComponent(uri);
  } catch {
    return cursor.fail('did not find URI escaped octet');
  }
}

/** Scans a tag; the cursor is at `!`. */
export function scanTag(cursor: TextCursor): YamlToken {
  const { line } = cursor;
  let handle = '';
  let suffix = '';
  if (cursor.peek(1) === code.less) {
    cursor.position += 2;
    suffix = takeUri(cursor);
    if (suffix === '') cursor.fail('did not find expected tag URI');
    if (cursor.peek() !== code.greater) cursor.fail("did not find the expected '>'");
    cursor.position++;
  } else {
    const from = cursor.position++;
    takeWord(cursor);
    if (cursor.peek() === code.bang) {
      handle = cursor.text.slice(from, ++cursor.position);
      suffix = takeUri(cursor);
      if (suffix === '') cursor.fail('did not find expected tag URI');
    } else {
      handle = '!';
      cursor.position = from + 1;
      suffix = takeUri(cursor);
    }
  }
  if (!isSpace(cursor.peek())) cursor.fail('did not find expected whitespace or line break');
  return token('tag', line, suffix, handle);
}

function takeVersion(cursor: TextCursor): string {
  const from = cursor.position;
  while (/[0-9.]/.test(String.fromCharCode(cursor.peek()))) cursor.position++;
  const version = cursor.text.slice(from, cursor.position);
  if (!/^[0-9]{1,9}\.[0-9]{1,9}$/.test(version)) cursor.fail('did not find expected version number');
  return version;
}

function takeHandle(cursor: TextCursor): string {
  const from = cursor.position;
  if (cursor.peek() !== code.bang) cursor.fail("did not find expected '!'");
  cursor.position++;
  const name = takeWord(cursor);
  if (cursor.peek() === code.bang) cursor.position++;
  else if (name !== '') cursor.fail("did not find expected '!'");
  return cursor.text.slice(from, cursor.position);
}

/** Scans a directive line; the cursor is at its `%`. */
export function scanDirective(cursor: TextCursor): YamlToken {
  const { line } = cursor;
  cursor.position++;
  const name = takeWord(cursor);
  if (name === '') cursor.fail('could not find expected directive name');
  if (!isSpace(cursor.peek())) cursor.fail('found unexpected non-alphabetical character');
  cursor.skipBlanks();
  let found: YamlToken;
  if (name === 'YAML') found = token('version-directive', line, takeVersion(cursor));
  else if (name === 'TAG') {
    const handle = takeHandle(cursor);
    if (!isSpace(cursor.peek())) cursor.fail('did not find expected whitespace');
    cursor.skipBlanks();
    found = token('tag-directive', line, takeUri(cursor), handle);
  } else cursor.fail('found unknown directive name');
  cursor.skipBlanks();
  if (cursor.peek() === code.hash) cursor.skipLine();
  if (!isSpace(cursor.peek())) cursor.fail('did not find expected comment or line break');
  return found;
}
