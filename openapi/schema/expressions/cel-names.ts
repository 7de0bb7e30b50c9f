/** Escapes names of properties to identifiers of expressions. as apiserver/pkg/cel/escaping.go */

const reserved: ReadonlySet<string> = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return ' +
    'var void while'
  ).split(' '),
);

const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

const plain = /^(?!.*__)[A-Za-z_][A-Za-z0-9_]*$/;
const escapable = /^[A-Za-z_./-][A-Za-z0-9_./-]*$/;

/** Reports whether a name is a reserved word of CEL. */
export const isReserved = (name: string): boolean => reserved.has(name);

/** Returns the identifier of a property; undefined if expressions cannot refer to it. */
export function escapeName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (plain.test(name)) return name;
  if (!escapable.test(name)) return undefined;
  return name.replace(/__|[-./]/g, part => escapes[part] ?? part);
}
