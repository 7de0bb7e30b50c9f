/** The syntax tree of an expression in the Common Expression Language. Macros are expanded into comprehensions. */

import { runeCount } from '../measure.js';

/** A constant: int is a bigint, double a number. */
export type Constant = bigint | number | string | boolean | null | Uint8Array | { readonly uint: bigint };

interface Base {
  /** The position in the source at which errors point (the operator, the dot, the opening bracket). */
  readonly at: number;
}

interface LiteralNode extends Base {
  readonly kind: 'literal';
  readonly value: Constant;
}

interface IdentNode extends Base {
  readonly kind: 'ident';
  readonly name: string;
}

export interface SelectNode extends Base {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  /** `has(a.b)`: tests whether the field is present. */
  readonly test: boolean;
}

interface CallNode extends Base {
  readonly kind: 'call';
  /** The function name; operators have cel-go's names: `_==_`, `_[_]`, `@in`. */
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface ListNode extends Base {
  readonly kind: 'list';
  readonly items: readonly Expr[];
  /** Indexes of items written `?x`, which are left out when x is none. */
  readonly optional: ReadonlySet<number>;
}

export interface MapEntry {
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface MapNode extends Base {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

export interface StructField extends Base {
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

/** `Object.spec{replicas: 1}`: a value of a type with fields. */
export interface StructNode extends Base {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: readonly StructField[];
}

export interface FoldNode extends Base {
  readonly kind: 'fold';
  readonly range: Expr;
  readonly iter: string;
  /** The second variable, for the item or value; then the first one is the index or key. */
  readonly iter2: string | undefined;
  readonly accu: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export type Expr = LiteralNode | IdentNode | SelectNode | CallNode | ListNode | MapNode | StructNode | FoldNode;

/** The variable that holds the accumulated value of a comprehension. */
export const accumulator = '@result';

/** Returns whether the node is a `cel.bind`: a comprehension over an empty list that accumulates nothing. */
export const isBinding = ({ range, accu, condition }: FoldNode): boolean =>
  range.kind === 'list' && range.items.length === 0 && accu !== accumulator && condition.kind === 'literal';

/** An error in an expression. */
export interface Issue {
  readonly at: number;
  readonly text: string;
}

/** Further issues are only counted. */
const maxIssues = 100;

/** Characters; longer lines are not shown. */
const maxLineLength = 20_000;

const ascii = /^[\x00-\x7f]$/;

/** Formats issues as cel-go does: the position, the line, and a caret under the column. An issue before the text has no line. */
export function issuesText(source: string, issues: readonly Issue[]): string {
  const more = issues.length - maxIssues;
  const lines = issues
    .slice(0, maxIssues)
    .sort((a, b) => a.at - b.at)
    .map(({ at, text }) => {
      if (at < 0) return `ERROR: <input>:-1:0: ${text}`;
      const before = source.slice(0, at);
      const line = before.split('\n').length;
      const from = before.lastIndexOf('\n') + 1;
      const end = source.indexOf('\n', at);
      if ((end < 0 ? source.length : end) - from > maxLineLength) {
        // differs: upstream shows lines of any length
        return `ERROR: <input>:${line}:${runeCount(source.slice(from, at)) + 1}: ${text}`;
      }
      const snippet = source.slice(from, end < 0 ? source.length : end).replaceAll('\t', ' ');
      const runes = [...source.slice(from, at)];
      const dots = runes.map(rune => (ascii.test(rune) ? '.' : '\uff0e')).join('');
      const wide = at < source.length && !ascii.test(source.charAt(at));
      const caret = wide ? '\uff3e' : '^';
      return `ERROR: <input>:${line}:${runes.length + 1}: ${text}\n | ${snippet}\n | ${dots}${caret}`;
    })
    .concat(more > 0 ? [`${more} more errors were truncated`] : []);
  return lines.join('\n');
}
