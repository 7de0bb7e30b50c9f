/** The types of the generated tables in `data/`, which tools/generate writes. */

/** Package (`io.k8s.api.apps.v1`) -> name (`DeploymentSpec`) -> type. Packages and types are sorted by name. */
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
 * `name type flags`, and further traits if there are any.
 *
 * type: `string`, `boolean`, `int32`, `int64`, `double`, `byte`, `Container` (of the same package), `io.k8s.api.core.v1.Container`;
 * `[]T` a list, `{}T` a map.
 * flags: `p` pointer, `o` omitempty, `a` always, `n` always, and null if unset (a pointer without omitempty); then `!` required,
 * and `0` if the default is the zero value of the type ('', 0, false or {}).
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
  /** groupPriorityMinimum of its APIServices; apiregistration.k8s.io has none, and is before all other groups. */
  readonly priority?: number;
  /** In order of preference. */
  readonly versions: readonly VersionRow[];
}

export interface VersionRow {
  readonly name: string;
  readonly priority?: number;
  /** Empty for alpha versions, which upstream lists without a description. */
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
  /** `group/version` of the stored kind; '' for the same one; absent for resources that are not stored. */
  readonly storage?: string;
  /** Name -> `Kind verb verb` or `group/version/Kind verb verb`, and after a `?` the query parameters of connections: `name:type`. */
  readonly subresources?: Readonly<Record<string, string>>;
}

/**
 * Package -> message -> its fields in the order of their declaration, each `name number type`. Names are those of OpenAPI and JSON; `~`
 * stands for a message that is inlined in JSON. Types are written as in TypesTable, scalars as in protobuf (`bool`, `int32`, `bytes`).
 */
export type ProtobufTable = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** Type -> field -> the allowed values of the field, of its items if it is a list, or of its values if it is a map. */
export type EnumsTable = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
