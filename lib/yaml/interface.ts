/** YAML 1.1 as Kubernetes reads and writes it (sigs.k8s.io/yaml). */

export interface ReadLimits {
  /** How many collections may stand in one another. */
  readonly depth: number;
  /** Scalars and collections of the value; what an alias stands for counts each time. */
  readonly nodes: number;
  /** UTF-16 units of text that aliases stand for, in all. */
  readonly aliasText: number;
}

/** A key that a map has twice. The later value counts. */
export interface RepeatedKey {
  /** As Go's reader has it: a number or boolean is not the text of the same letters. */
  readonly key: string | number | bigint | boolean;
  /** That on which the later value begins, from 1. */
  readonly line: number;
}

export type ReadYaml =
  | {
      readonly type: 'value';
      /** JSON values, and bigints for integers of 64 bits that a number does not hold exactly. What aliases stand for is shared. */
      readonly value: unknown;
      readonly repeated: readonly RepeatedKey[];
    }
  /** `text`: of one line, as Go's reader says it. */
  | { readonly type: 'error'; readonly text: string };
