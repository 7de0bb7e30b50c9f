/** The tree of an expression in the Common Expression Language. Macros are expanded: they become comprehensions. */

import { runeCount } from './measure.js';

/** A constant: int is a bigint, double a number. */
export type Literal = bigint | number | string | boolean | null | Uint8Array | { readonly uint: bigint };

interface Base {
  /** Where the node stands: the place that errors point at (the operator, the dot, the opening bracket). */
  readonly at: number;
}

export interface LiteralNode extends Base {
  readonly kind: 'literal';
  readonly value: Literal;
}

export interface IdentNode extends Base {
  readonly kind: 'ident';
  readonly name: string;
}

export interface SelectNode extends Base {
  readonly kind: 'select';
  readonly operand: Node;
  readonly field: string;
  /** `has(a.b)`: whether the field is there. */
  readonly test: boolean;
}

export interface CallNode extends Base {
  readonly kind: 'call';
  /** Operators have the names of cel-go: `_==_`, `_[_]`, `@in`. */
  readonly name: string;
  readonly target: Node | undefined;
  readonly args: readonly Node[];
}

export interface ListNode extends Base {
  readonly kind: 'list';
  readonly items: readonly Node[];
  /** Indexes of items written `?x`: left out when x is none. */
  readonly optional: ReadonlySet<number>;
}

export interface MapEntry {
  readonly key: Node;
  readonly value: Node;
  readonly optional: boolean;
}

export interface MapNode extends Base {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

export interface StructField extends Base {
  readonly name: string;
  readonly value: Node;
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
  readonly range: Node;
  readonly iter: string;
  /** The second variable: then the first is the index or key, this the item or value. */
  readonly iter2: string | undefined;
  readonly accu: string;
  readonly init: Node;
  readonly condition: Node;
  readonly step: Node;
  readonly result: Node;
}

export type Node = LiteralNode | IdentNode | SelectNode | CallNode | ListNode | MapNode | StructNode | FoldNode;

/** The variable that holds what a comprehension has gathered. */
export const accumulator = '@result';

/** `cel.bind`: a comprehension over nothing, which gathers nothing. */
export const isBinding = ({ range, accu, condition }: FoldNode): boolean =>
  range.kind === 'list' && range.items.length === 0 && accu !== accumulator && condition.kind === 'literal';

/** One thing wrong with an expression. */
export interface Issue {
  readonly at: number;
  readonly text: string;
}

/** More issues than this are counted only. */
const maxIssues = 100;

/** Longer lines are not shown. */
const longestLine = 20_000;

const ascii = /^[\x00-\x7f]$/;

/** Issues as cel-go prints them: the place, the line, and a caret under the column. A place before the text has no line. */
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
      if ((end < 0 ? source.length : end) - from > longestLine) {
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
