/**
 * Returns the object with some of its methods replaced. All other methods run on the original, so that it may be an instance of a class with
 * private fields, which a copy of its properties would not have.
 */
export function overriding<T extends object>(original: T, methods: Partial<T>): T {
  return new Proxy(original, {
    get(target, name) {
      const value: unknown = Reflect.get(name in methods ? methods : target, name);
      return typeof value === 'function' && !(name in methods) ? (value.bind(target) as unknown) : value;
    },
  });
}
