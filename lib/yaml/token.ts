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

/** A token. Lines count from 0. */
export interface YamlToken {
  readonly type: TokenType;
  /** The line at which it begins. */
  readonly line: number;
  /** The text of a scalar; the name of an anchor or alias; the suffix of a tag; the prefix of a tag directive. */
  readonly value: string;
  /** The handle of a tag: `!`, `!!`, `!name!`, '' for a full tag. */
  readonly handle: string;
  /** A plain scalar. */
  readonly isPlain: boolean;
}

/** Creates a token. */
export const token = (type: TokenType, line: number, value = '', handle = '', isPlain = false): YamlToken => ({
  type,
  line,
  value,
  handle,
  isPlain,
});
