/**
 * Limits of one selector in string syntax. Every object of a list and every event of a watch is compared with all of its requirements, and a watch holds
 * them. differs: upstream limits only the URL, to 1 MiB, which has room for 100,000.
 */
export const maxRequirements = 1000;
/** Values in all lists of a selector, such as `in (a,b)`. */
export const maxSelectorValues = 10_000;

/** The text about a selector with more requirements. */
export const tooManyRequirements = `a selector may have at most ${maxRequirements} requirements`;
