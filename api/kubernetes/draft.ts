/** A native type as rules see it: nothing is sure to be there, not even what is required, before validation has said so. */
export type Draft<T> = T extends readonly (infer I)[]
  ? Draft<I>[]
  : T extends object
    ? string extends keyof T
      ? Record<string, Draft<T[keyof T]>>
      : { [K in keyof T]?: Draft<T[K]> }
    : T;

type Sure = 'apiVersion' | 'kind' | 'metadata';

/** An object of a native kind: it has a type and metadata. */
export type DraftKind<T extends Record<Sure, unknown>> = Pick<T, Sure> & Draft<Omit<T, Sure>>;
