/** The syntax of Kubernetes' JSONPath templates. as client-go/util/jsonpath parser.go */
import { namedEscapes } from '../../lib/go/go-escapes.js';
import { type Int64, numberValue } from '../../lib/json/json.js';

/** A template that cannot be parsed or evaluated; the message is upstream's. */
export class JsonPathError extends Error {}

interface SliceBound {
  readonly known: boolean;
  readonly value: number;
  /** Whether the bound is the end of an index `[n]`, which the text does not contain. */
  readonly derived: boolean;
}

export type PathNode =
  | { readonly type: 'list'; readonly nodes: readonly PathNode[] }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'slice'; readonly bounds: readonly [SliceBound, SliceBound, SliceBound] }
  | { readonly type: 'filter'; readonly left: PathList; readonly right: PathList; readonly operator: string }
  | { readonly type: 'literal'; readonly value: Int64 | boolean }
  | { readonly type: 'wildcard' }
  | { readonly type: 'recursive' }
  | { readonly type: 'union'; readonly parts: readonly PathList[] }
  | { readonly type: 'word'; readonly name: string };

export type PathList = Extract<PathNode, { type: 'list' }>;

const isTerminator = (c: string): boolean => c === '' || /[ \t\r\n.,[\]$@{}]/.test(c);
const isWordStart = (c: string): boolean => /[_\p{L}\p{Nd}]/u.test(c);

/** Returns the value of the inside of a quoted string with Go's escapes. */
function unescapeText(text: string, quote: string): string {
  const fail = (): never => {
    throw new JsonPathError(`unquote string ${quote}${text}${quote} error invalid syntax`);
  };
  return text.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.)|$)/gs,
    (_all, ...g) => {
      const [x, u, long, octal, single] = g as (string | undefined)[];
      const hex = x ?? u ?? long;
      if (hex !== undefined) return String.fromCodePoint(parseInt(hex, 16));
      if (octal !== undefined) return String.fromCodePoint(parseInt(octal, 8));
      return single === quote ? quote : (namedEscapes[single ?? ''] ?? fail());
    },
  );
}

const sliceShape = /^(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?$/;

function readBounds(text: string): readonly [SliceBound, SliceBound, SliceBound] {
  const parts = sliceShape.exec(text);
  if (!parts) throw new JsonPathError(`invalid array index ${text}`);
  const number = (digits: string): number => {
    if (!/^-?[0-9]+$/.test(digits)) throw new JsonPathError(`array index ${digits} is not a number`);
    return Number(digits);
  };
  const unknown: SliceBound = { known: false, value: 0, derived: false };
  const bound = (part: string | undefined): SliceBound =>
    part === undefined || part === ':' || part === ''
      ? unknown
      : { known: true, value: number(part.replace(':', '')), derived: false };
  const first = bound(parts[1]);
  const second = parts[2] === undefined ? { known: true, value: first.value + 1, derived: true } : bound(parts[2]);
  return [first, second, bound(parts[3])];
}

class Parser {
  private readonly input: string;
  private at = 0;
  private readonly root: PathNode[] = [];

  constructor(input: string) {
    this.input = input;
  }

  private peek(offset = 0): string {
    return this.input[this.at + offset] ?? '';
  }

  parse(): PathNode[] {
    while (this.at < this.input.length) {
      const open = this.input.indexOf('{', this.at);
      const end = open < 0 ? this.input.length : open;
      if (end > this.at) this.root.push({ type: 'text', text: this.input.slice(this.at, end) });
      this.at = end;
      if (open < 0) break;
      this.at++;
      const nodes: PathNode[] = [];
      this.root.push({ type: 'list', nodes });
      this.readAction(nodes);
    }
    return this.root;
  }

  /** Reads up to and including the closing brace. */
  private readAction(out: PathNode[]): void {
    for (;;) {
      const rest = this.input.slice(this.at, this.at + 3);
      const c = this.peek();
      if (c === '}') {
        this.at++;
        return;
      }
      if (c === '' || c === '\n' || c === '\r') throw new JsonPathError('unclosed action');
      if (c === ' ' || c === '@' || c === '$') this.at++;
      else if (rest === '[?(') this.readFilter(out);
      else if (rest.startsWith('..')) this.readRecursive(out);
      else if (c === '[') this.readArray(out);
      else if (c === '"' || c === "'") this.readQuote(out, c);
      else if (c === '.') {
        this.at++;
        this.readField(out);
      } else if (/[-+0-9]/.test(c)) this.readNumber(out);
      else if (isWordStart(c)) this.readWord(out);
      else throw new JsonPathError(`unrecognized character in action: ${unicodeName(this.input, this.at)}`);
    }
  }

  private readWord(out: PathNode[]): void {
    const from = this.at;
    while (!isTerminator(this.peek())) this.at++;
    const name = this.input.slice(from, this.at);
    out.push(
      name === 'true' || name === 'false' ? { type: 'literal', value: name === 'true' } : { type: 'word', name },
    );
  }

  private readRecursive(out: PathNode[]): void {
    if (out.at(-1)?.type === 'recursive') throw new JsonPathError('invalid multiple recursive descent');
    this.at += 2;
    out.push({ type: 'recursive' });
    if (isWordStart(this.peek())) this.readField(out);
  }

  private readNumber(out: PathNode[]): void {
    const from = this.at;
    if (/[-+]/.test(this.peek())) this.at++;
    while (/[0-9.]/.test(this.peek())) this.at++;
    const text = this.input.slice(from, this.at);
    if (!/^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)$/.test(text)) throw new JsonPathError(`cannot parse number ${text}`);
    out.push({ type: 'literal', value: numberValue(text) });
  }

  private readField(out: PathNode[]): void {
    const from = this.at;
    while (!isTerminator(this.peek())) this.at += this.peek() === '\\' ? 2 : 1;
    this.at = Math.min(this.at, this.input.length);
    const text = this.input.slice(from, this.at);
    out.push(text === '*' ? { type: 'wildcard' } : { type: 'field', name: text.replaceAll('\\', '') });
  }

  private readQuote(out: PathNode[], quote: string): void {
    const from = ++this.at;
    for (; this.peek() !== quote || this.input[this.at - 1] === '\\'; this.at++)
      if (this.peek() === '' || this.peek() === '\n') throw new JsonPathError('unterminated quoted string');
    out.push({ type: 'text', text: unescapeText(this.input.slice(from, this.at++), quote) });
  }

  private readArray(out: PathNode[]): void {
    const from = ++this.at;
    for (; this.peek() !== ']'; this.at++)
      if (this.peek() === '' || this.peek() === '\n') throw new JsonPathError('unterminated array');
    const inside = this.input.slice(from, this.at++);
    const text = inside === '*' ? ':' : inside;
    const parts = text.split(',');
    if (parts.length > 1) {
      out.push({ type: 'union', parts: parts.map(p => parseAction(`[${p.replace(/^ +| +$/g, '')}]`)) });
      return;
    }
    const quoted = /^'([^']*)'$/.exec(text);
    if (quoted) out.push(...parseAction(`.${quoted[1]}`).nodes);
    else out.push({ type: 'slice', bounds: readBounds(text) });
  }

  private readFilter(out: PathNode[]): void {
    const from = (this.at += 3);
    let quote = '';
    let closed = false;
    for (; this.peek() !== ')' || (quote !== '') !== closed; this.at++) {
      const c = this.peek();
      if (c === '' || c === '\n') throw new JsonPathError('unterminated filter');
      if (c !== '"' && c !== "'") continue;
      if (quote === '') quote = c;
      else if (c === quote && this.input[this.at - 1] !== '\\') closed = true;
    }
    const text = this.input.slice(from, this.at++);
    if (this.peek() !== ']') throw new JsonPathError('unclosed array expect ]');
    this.at++;
    const parts = /^([^!<>=]+)([!<>=]+)(.+?)$/s.exec(text);
    if (!parts)
      out.push({ type: 'filter', left: parseAction(text), right: { type: 'list', nodes: [] }, operator: 'exists' });
    else {
      const [, left = '', operator = '', right = ''] = parts;
      out.push({ type: 'filter', left: parseAction(left), right: parseAction(right), operator });
    }
  }
}

/** Returns a rune as Go's `%#U` prints it: `U+0023 '#'`. */
function unicodeName(text: string, at: number): string {
  const rune = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const hex = (rune.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `U+${hex} '${rune}'`;
}

function parseAction(text: string): PathList {
  const [first] = new Parser(`{${text}}`).parse();
  return first?.type === 'list' ? first : { type: 'list', nodes: [] };
}

/** Returns the nodes of a template: texts, and lists for actions in braces. Throws JsonPathError with upstream's text. */
export function parseTemplate(text: string): PathNode[] {
  return new Parser(text).parse();
}
