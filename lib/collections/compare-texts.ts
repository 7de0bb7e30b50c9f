/** Orders texts by their code units, as keys of a store are. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
