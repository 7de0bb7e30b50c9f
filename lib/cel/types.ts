/** Types of the Common Expression Language, and their assignability. as cel-go common/types and checker/types.go */

export type Type =
  | { readonly kind: 'dyn' | 'error' | 'null' | 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' }
  | { readonly kind: 'timestamp' | 'duration' }
  | { readonly kind: 'list' | 'optional' | 'type'; readonly item: Type }
  | { readonly kind: 'map'; readonly key: Type; readonly value: Type }
  /** A type with fields, which are looked up on demand. */
  | { readonly kind: 'object'; readonly name: string; readonly field: (name: string) => Type | undefined }
  /** A library type, identified by its name. */
  | { readonly kind: 'opaque'; readonly name: string }
  | { readonly kind: 'param'; readonly name: string };

type Kind = Type['kind'];
type Simple =
  'dyn' | 'error' | 'null' | 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'timestamp' | 'duration';

const simple = (kind: Simple): Type => ({ kind });

export const dyn = simple('dyn');
export const error = simple('error');
export const nullType = simple('null');
export const bool = simple('bool');
export const int = simple('int');
export const uint = simple('uint');
export const double = simple('double');
export const string = simple('string');
export const bytes = simple('bytes');
export const timestamp = simple('timestamp');
export const duration = simple('duration');
/** Returns the type of lists whose items have a type. */
export const list = (item: Type): Type => ({ kind: 'list', item });
/** Returns the type of optional values, `optional_type(item)`. */
export const optional = (item: Type): Type => ({ kind: 'optional', item });
/** Returns the type of a type, which is a value in CEL. */
export const typeOf = (item: Type): Type => ({ kind: 'type', item });
/** Returns the type of maps whose keys and values have these types. */
export const map = (key: Type, value: Type): Type => ({ kind: 'map', key, value });
/** Returns a type whose values only functions of a library read, such as a URL. */
export const opaque = (name: string): Type => ({ kind: 'opaque', name });
/** Returns a type parameter of an overload: all that have its name in a call are the same type. */
export const param = (name: string): Type => ({ kind: 'param', name });

/** Returns a type as checker errors show it: `list(string)`, `map(string, dyn)`. */
export function typeText(type: Type): string {
  switch (type.kind) {
    case 'list':
      return `list(${typeText(type.item)})`;
    case 'optional':
      return `optional_type(${typeText(type.item)})`;
    case 'type':
      return type.item.kind === 'dyn' ? 'type' : `type(${typeText(type.item)})`;
    case 'map':
      return `map(${typeText(type.key)}, ${typeText(type.value)})`;
    case 'object':
    case 'opaque':
    case 'param':
      return type.name;
    case 'error':
      return '!error!';
    default:
      return type.kind;
  }
}

const runtimeNames: Readonly<Partial<Record<Kind, string>>> = {
  null: 'null_type',
  optional: 'optional_type',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
};

/** Returns a type without its parameters, as runtime errors show it. */
export function typeName(type: Type): string {
  if (type.kind === 'object' || type.kind === 'opaque' || type.kind === 'param') return type.name;
  return runtimeNames[type.kind] ?? type.kind;
}

/** Thrown when types grow too large during the check of an expression. */
export class TypesTooLarge extends Error {}

/** Visits of type parts for one expression. */
const maxVisits = 1_000_000;

/** The known bindings of type variables. */
export class Bindings {
  private readonly types = new Map<string, Type>();
  /** Bindings in order, the oldest first, so that they can be undone. */
  private readonly trail: (readonly [name: string, before: Type | undefined])[] = [];
  private visits = 0;

  get(name: string): Type | undefined {
    return this.types.get(name);
  }

  set(name: string, type: Type): void {
    this.trail.push([name, this.types.get(name)]);
    this.types.set(name, type);
  }

  /** Runs an attempt; its bindings are undone when it fails. */
  attempt(run: () => boolean): boolean {
    const mark = this.trail.length;
    if (run()) return true;
    while (this.trail.length > mark) {
      const [name, before] = this.trail.pop() as (typeof this.trail)[number];
      if (before) this.types.set(name, before);
      else this.types.delete(name);
    }
    return false;
  }

  /** Counts the visit of a type part, since types may refer to each other many times. Throws TypesTooLarge. */
  visit(): void {
    if (++this.visits > maxVisits) throw new TypesTooLarge();
  }
}

/** Returns a type with its variables replaced by their bindings. */
export function substitute(type: Type, known: Bindings, unbound?: Type): Type {
  known.visit();
  switch (type.kind) {
    case 'param': {
      const found = known.get(type.name);
      return found ? substitute(found, known, unbound) : (unbound ?? type);
    }
    case 'list':
    case 'optional':
    case 'type':
      return { kind: type.kind, item: substitute(type.item, known, unbound) };
    case 'map':
      return map(substitute(type.key, known, unbound), substitute(type.value, known, unbound));
    default:
      return type;
  }
}

function occurs(name: string, type: Type, known: Bindings): boolean {
  known.visit();
  const t = type.kind === 'param' ? substitute(type, known) : type;
  switch (t.kind) {
    case 'param':
      return t.name === name;
    case 'list':
    case 'optional':
    case 'type':
      return occurs(name, t.item, known);
    case 'map':
      return occurs(name, t.key, known) || occurs(name, t.value, known);
    default:
      return false;
  }
}

const nullable: ReadonlySet<Kind> = new Set(['opaque', 'object', 'optional', 'duration', 'timestamp', 'null']);

/** Returns whether two types are the same, part by part. */
export function identical(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  switch (a.kind) {
    case 'list':
    case 'optional':
    case 'type':
      return identical(a.item, (b as typeof a).item);
    case 'map':
      return identical(a.key, (b as typeof a).key) && identical(a.value, (b as typeof a).value);
    case 'object':
    case 'opaque':
    case 'param':
      return a.name === (b as typeof a).name;
    default:
      return true;
  }
}

const loose = (type: Type): boolean => type.kind === 'dyn' || type.kind === 'param';

/** Returns whether `a` is as general as `b`, or more general. */
function lessSpecific(a: Type, b: Type): boolean {
  if (loose(a)) return true;
  if (loose(b) || a.kind !== b.kind) return false;
  switch (a.kind) {
    case 'list':
    case 'optional':
      return lessSpecific(a.item, (b as typeof a).item);
    case 'map':
      return lessSpecific(a.key, (b as typeof a).key) && lessSpecific(a.value, (b as typeof a).value);
    case 'type':
      return true;
    default:
      return identical(a, b);
  }
}

/** Returns the more general one of two types that fit each other. */
export const mostGeneral = (a: Type, b: Type): Type => (lessSpecific(a, b) ? a : b);

/** Binds a variable to a type. Returns undefined when that is impossible, false when it is bound to another type. */
function bind(variable: Type & { readonly kind: 'param' }, type: Type, known: Bindings): boolean | undefined {
  if (identical(variable, type)) return true;
  const bound = known.get(variable.name);
  if (bound === undefined) {
    if (occurs(variable.name, type, known)) return undefined;
    known.set(variable.name, type);
    return true;
  }
  if (identical(bound, type)) return true;
  if (!assignable(type, bound, known)) return false;
  const general = mostGeneral(type, bound);
  if (!occurs(variable.name, general, known)) known.set(variable.name, general);
  return true;
}

function same(a: Type, b: Type, known: Bindings): boolean {
  if (a.kind === 'null') return nullable.has(b.kind);
  if (b.kind === 'null') return nullable.has(a.kind);
  if (a.kind !== b.kind) return false;
  switch (a.kind) {
    case 'list':
    case 'optional':
      return assignable(a.item, (b as typeof a).item, known);
    case 'type':
      return true;
    case 'map':
      return assignable(a.key, (b as typeof a).key, known) && assignable(a.value, (b as typeof a).value, known);
    default:
      return identical(a, b);
  }
}

/** Returns whether a value of type `from` is assignable to `to`. Variables are bound meanwhile, even when the result is false. */
function assignable(from: Type, to: Type, known: Bindings): boolean {
  known.visit();
  if (to.kind === 'param') {
    const bound = bind(to, from, known);
    if (bound !== undefined) return bound;
  }
  if (from.kind === 'param') return bind(from, to, known) ?? false;
  if (from.kind === 'dyn' || to.kind === 'dyn' || from.kind === 'error' || to.kind === 'error') return true;
  return same(from, to, known);
}

/** Returns whether all types are assignable; bindings are undone when they are not. */
export function fits(from: readonly Type[], to: readonly Type[], known: Bindings): boolean {
  if (from.length !== to.length) return false;
  return known.attempt(() => from.every((type, i) => assignable(type, to[i] ?? dyn, known)));
}

const sizes = new WeakMap<Type, number>();

/** Returns the number of parts of a type. Shared parts are computed once. */
export function sizeOfType(type: Type): number {
  if (type.kind !== 'list' && type.kind !== 'optional' && type.kind !== 'type' && type.kind !== 'map') return 1;
  const known = sizes.get(type);
  if (known !== undefined) return known;
  const size = 1 + (type.kind === 'map' ? sizeOfType(type.key) + sizeOfType(type.value) : sizeOfType(type.item));
  sizes.set(type, size);
  return size;
}
