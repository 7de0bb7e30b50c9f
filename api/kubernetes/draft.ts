/** A native type before validation: every field may be absent, even a required one. */
export type Draft<T> = T extends readonly (infer I)[]
  ? Draft<I>[]
  : T extends object
    ? string extends keyof T
      ? Record<string, Draft<T[keyof T]>>
      : { [K in keyof T]?: Draft<T[K]> }
    : T;

type Sure = 'apiVersion' | 'kind' | 'metadata';

/** An object of a native kind, with type and metadata. */
export type DraftKind<T extends Record<Sure, unknown>> = Pick<T, Sure> & Draft<Omit<T, Sure>>;
