/** The form of the generated tables in `data/`, written by tools/generate and read by load.ts and resources.ts. */

/** `io.k8s.api.apps.v1` -> `DeploymentSpec` -> the type. Packages and types in order of their names. */
export type TypesTable = Readonly<Record<string, Readonly<Record<string, TypeRow>>>>;

export interface TypeRow {
  /** In the order of their declaration. Absent for types that are not structs. */
  readonly fields?: readonly FieldRow[];
  /** Kinds: `Deployment` in the group-version of the package, or `group/version/Kind`. */
  readonly kinds?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  readonly unions?: unknown;
}

/**
 * `name type flags`, with more when there is more to say.
 *
 * type: `string`, `boolean`, `int32`, `int64`, `double`, `byte`, `Container` (of the same package), `io.k8s.api.core.v1.Container`;
 * `[]T` a list, `{}T` a map.
 * flags: `p` pointer, `o` omitempty, `a` always, `n` always and null when unset (a pointer without omitempty); then `!` required,
 * and `0` when the default is the zero value of the type ('', 0, false or {}).
 */
export type FieldRow = string | readonly [string, FieldTraits];

export interface FieldTraits {
  readonly default?: unknown;
  readonly list?: 'atomic' | 'set' | 'map';
  readonly keys?: readonly string[];
  readonly map?: 'atomic' | 'granular';
  readonly strategy?: string;
  readonly mergeKey?: string;
}

/** The groups of native resources: core first, then in the order of `/apis`. */
export type ResourcesTable = readonly GroupRow[];

export interface GroupRow {
  readonly name: string;
  /** groupPriorityMinimum of its APIServices; apiregistration.k8s.io has none and stands before all. */
  readonly priority?: number;
  /** In order of preference. */
  readonly versions: readonly VersionRow[];
}

export interface VersionRow {
  readonly name: string;
  readonly priority?: number;
  /** Empty for versions that upstream lists but describes nowhere (alpha). */
  readonly resources: readonly ResourceRow[];
}

export interface ResourceRow {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced?: true;
  /** Separated by spaces. */
  readonly verbs: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** `group/version` of the stored form; '' for the own one; absent for resources that store nothing. */
  readonly storage?: string;
  /** name -> `Kind verb verb` or `group/version/Kind verb verb`, and after a `?` the query parameters of connections: `name:type`. */
  readonly subresources?: Readonly<Record<string, string>>;
}

/**
 * Package -> message -> its fields in the order of their declaration, each `name number type`. Names are those of OpenAPI and JSON; `~` stands for
 * a message whose fields are fields of the outer object in JSON. Types as in TypesTable, scalars as in protobuf (`bool`, `int32`, `bytes`).
 */
export type ProtobufTable = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** Type -> field -> the values that it, or each of its items, or each value of a map, may have. */
export type EnumsTable = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
