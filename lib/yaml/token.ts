export type TokenType =
  | 'document-start'
  | 'document-end'
  | 'stream-end'
  | 'tag-directive'
  | 'version-directive'
  | 'block-sequence-start'
  | 'block-mapping-start'
  | 'block-end'
  | 'flow-sequence-start'
  | 'flow-sequence-end'
  | 'flow-mapping-start'
  | 'flow-mapping-end'
  | 'block-entry'
  | 'flow-entry'
  | 'key'
  | 'value'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'scalar';

/** A piece of YAML. Lines count from 0. */
export interface Token {
  readonly type: TokenType;
  /** Where it begins. */
  readonly line: number;
  /** A scalar's text; the name of an anchor or alias; the suffix of a tag; the prefix of a tag directive. */
  readonly value: string;
  /** The handle of a tag: `!`, `!!`, `!name!`, '' for a tag in full. */
  readonly handle: string;
  /** A scalar without quotes that is no block. */
  readonly isPlain: boolean;
}

export const token = (type: TokenType, line: number, value = '', handle = '', isPlain = false): Token => ({
  type,
  line,
  value,
  handle,
  isPlain,
});
