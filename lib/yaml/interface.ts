/** YAML 1.1 as Kubernetes reads and writes it (sigs.k8s.io/yaml). */

export interface ReadLimits {
  /** Nesting depth of collections. */
  readonly depth: number;
  /** Scalars and collections of the value; the target of an alias counts each time. */
  readonly nodes: number;
  /** UTF-16 units of text in the targets of all aliases. */
  readonly aliasText: number;
}

/** A duplicate key of a map. The later value counts. */
export interface RepeatedKey {
  /** The key as in Go's reader: a number or boolean differs from a string with the same text. */
  readonly key: string | number | bigint | boolean;
  /** The line of the later value, from 1. */
  readonly line: number;
}

export type ReadYaml =
  | {
      readonly type: 'value';
      /** JSON values, and bigints for 64-bit integers that a number cannot hold exactly. Targets of aliases are shared. */
      readonly value: unknown;
      readonly repeated: readonly RepeatedKey[];
    }
  /** `text`: one line, as in Go's reader. */
  | { readonly type: 'error'; readonly text: string };
