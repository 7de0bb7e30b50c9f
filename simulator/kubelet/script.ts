/** Parses the small part of the language of a shell that simulated containers understand: lists, pipes, redirections, quotes and variables. */

/** A part of a word: text, or a variable that is inserted. */
type WordPart = string | { readonly variable: string };
export type Word = readonly WordPart[];

export interface Redirection {
  readonly operator: '>' | '>>' | '<' | '2>' | '2>&1' | '>&2';
  readonly target: Word;
}

export interface SimpleCommand {
  readonly words: readonly Word[];
  readonly redirections: readonly Redirection[];
}

/** Commands that are connected by pipes, and when they run. */
export interface CommandPipeline {
  readonly commands: readonly SimpleCommand[];
  /** `and`: only if the one before has succeeded, `or`: only if it has failed. */
  readonly when: 'always' | 'and' | 'or';
}

export class SyntaxFault extends Error {}

/** Characters of a script. */
const maxLength = 64 * 1024;
const operators = ['&&', '||', '2>&1', '>&2', '2>', '>>', '>', '<', '|', ';', '\n'] as const;
type Operator = (typeof operators)[number];
type Token = { readonly operator: Operator } | { readonly word: Word };

/** Splits a script into words and operators. */
class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    if (text.length > maxLength) throw new SyntaxFault('the script is too long');
    this.#text = text;
  }

  tokens(): Token[] {
    const found: Token[] = [];
    for (;;) {
      while (/[ \t]/.test(this.#peek())) this.#at++;
      if (this.#at >= this.#text.length) return found;
      if (this.#peek() === '#') this.#skipComment();
      else found.push(this.#operator() ?? { word: this.#word() });
    }
  }

  #peek(): string {
    return this.#text.charAt(this.#at);
  }

  #skipComment(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  #operator(): Token | undefined {
    const operator = operators.find(each => this.#text.startsWith(each, this.#at));
    if (operator === undefined) return undefined;
    this.#at += operator.length;
    return { operator };
  }

  #word(): Word {
    const parts: WordPart[] = [];
    while (this.#at < this.#text.length && !/[ \t\n;|<>&]/.test(this.#peek())) parts.push(...this.#piece());
    if (parts.length === 0) throw new SyntaxFault(`syntax error: unexpected "${this.#peek()}"`);
    return parts;
  }

  #piece(): WordPart[] {
    const char = this.#peek();
    if (char === "'") return [this.#quoted()];
    if (char === '"') return this.#doubleQuoted();
    if (char === '$') return [this.#variable()];
    this.#at++;
    if (char !== '\\') return [char];
    return [this.#text.charAt(this.#at++)];
  }

  #quoted(): string {
    const end = this.#text.indexOf("'", this.#at + 1);
    if (end < 0) throw new SyntaxFault('syntax error: unterminated quoted string');
    const inner = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    return inner;
  }

  #doubleQuoted(): WordPart[] {
    const parts: WordPart[] = [''];
    for (this.#at++; this.#peek() !== '"';) {
      if (this.#at >= this.#text.length) throw new SyntaxFault('syntax error: unterminated quoted string');
      if (this.#peek() === '$') parts.push(this.#variable());
      else {
        if (this.#peek() === '\\' && /["\\$`]/.test(this.#text.charAt(this.#at + 1))) this.#at++;
        parts.push(this.#text.charAt(this.#at++));
      }
    }
    this.#at++;
    return parts;
  }

  #variable(): WordPart {
    const rest = this.#text.slice(this.#at, this.#at + 256);
    const name = /^\$(?:\{(\w+)\}|(\w+|\?))/.exec(rest);
    if (!name) {
      if (/^\$[({]/.test(rest)) throw new SyntaxFault('syntax error: substitutions are not supported');
      this.#at++;
      return '$';
    }
    this.#at += name[0].length;
    return { variable: name[1] ?? name[2] ?? '' };
  }
}

const keywords = new Set(['if', 'while', 'for', 'until', 'case', '{', '(']);

/** Throws SyntaxFault. */
export function parseScript(text: string): CommandPipeline[] {
  const pipelines: CommandPipeline[] = [];
  let when: CommandPipeline['when'] = 'always';
  let commands: SimpleCommand[] = [];
  let words: Word[] = [];
  let redirections: Redirection[] = [];
  const endCommand = (): void => {
    if (words.length + redirections.length > 0) commands.push({ words, redirections });
    else if (commands.length > 0) throw new SyntaxFault('syntax error: unexpected end of a pipe');
    words = [];
    redirections = [];
  };
  const endPipeline = (next: CommandPipeline['when']): void => {
    endCommand();
    if (commands.length > 0) pipelines.push({ commands, when });
    commands = [];
    when = next;
  };
  const tokens = new Scanner(text).tokens();
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if ('word' in token) {
      const first = token.word.join('');
      if (words.length === 0 && keywords.has(first)) throw new SyntaxFault(`syntax error: "${first}" is not supported`);
      words.push(token.word);
    } else if (token.operator === '|') {
      if (words.length === 0) throw new SyntaxFault('syntax error: unexpected "|"');
      endCommand();
    } else if (token.operator === '&&') endPipeline('and');
    else if (token.operator === '||') endPipeline('or');
    else if (token.operator === ';' || token.operator === '\n') endPipeline('always');
    else if (token.operator === '2>&1' || token.operator === '>&2')
      redirections.push({ operator: token.operator, target: [] });
    else {
      const target = tokens[++i];
      if (!target || !('word' in target)) throw new SyntaxFault(`syntax error: a name must follow "${token.operator}"`);
      redirections.push({ operator: token.operator, target: target.word });
    }
  }
  endPipeline('always');
  return pipelines;
}
