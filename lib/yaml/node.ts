/** A value of a document, with its position. */
export interface YamlNode {
  readonly value: unknown;
  readonly type: 'scalar' | 'map' | 'list';
  /** From 0. */
  readonly line: number;
  /** A scalar without quotes and tag. */
  readonly isPlain: boolean;
}
