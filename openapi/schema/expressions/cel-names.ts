/** Names of properties as identifiers of expressions. as apiserver/pkg/cel/escaping.go */

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

/** Whether a word may not stand alone in expressions. */
export const isReserved = (name: string): boolean => reserved.has(name);

/** The identifier of a property; undefined for properties that expressions cannot name. */
export function escapeName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (plain.test(name)) return name;
  if (!escapable.test(name)) return undefined;
  return name.replace(/__|[-./]/g, part => escapes[part] ?? part);
}
