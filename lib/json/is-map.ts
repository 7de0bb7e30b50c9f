/** Returns whether a JSON value is an object, not null or a list. Also true for a Literal; `isObject` of apimachinery/patch excludes it. */
export const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
