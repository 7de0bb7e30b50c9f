/** Returns the value of an own property. Use it for keys from outside, since inherited properties such as `constructor` are not in the table. */
export const ownValue = <V>(table: Readonly<Record<string, V>> | undefined, key: string): V | undefined =>
  table !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;
