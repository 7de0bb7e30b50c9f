/** Where objects have empty lists and empty objects. Lua has one empty table for both. as Karmada luavm traverseToFindEmptyField */
export interface EmptyPlaces {
  readonly objects: ReadonlySet<string>;
  readonly lists: ReadonlySet<string>;
}

export const noEmptyPlaces: EmptyPlaces = { objects: new Set(), lists: new Set() };

/** Returns the place of a field. Items of a list have the place of the list: their number may change. */
export const placeOf = (parent: string, key: string): string => `${parent}\0${key}`;

/** Collects the places of all empty lists and objects in the JSON values. */
export function emptyPlaces(values: readonly unknown[]): EmptyPlaces {
  const objects = new Set<string>();
  const lists = new Set<string>();
  const visit = (value: unknown, place: string): void => {
    if (value === null || typeof value !== 'object') return;
    const entries = Object.entries(value);
    const isList = Array.isArray(value);
    if (entries.length === 0) (isList ? lists : objects).add(place);
    for (const [key, item] of entries) visit(item, isList ? place : placeOf(place, key));
  };
  for (const value of values) visit(value, '');
  return { objects, lists };
}
