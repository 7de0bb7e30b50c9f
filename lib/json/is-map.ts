/** Whether a value of JSON is an object: neither null nor a list. A Literal passes; `isObject` of apimachinery/patch tells it apart. */
export const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
