/** The value at a key that somebody else chose: what objects inherit, such as `constructor`, is not in a table. */
export const ownValue = <V>(table: Readonly<Record<string, V>> | undefined, key: string): V | undefined =>
  table !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;
