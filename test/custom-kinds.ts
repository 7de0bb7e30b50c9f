/** Builders of CustomResourceDefinitions, which have defaults for everything that a test does not set. */

export const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export const text = { type: 'string' };
export const whole = { type: 'integer' };
export const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
export const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
export const set = (items: object) => ({ type: 'array', 'x-kubernetes-list-type': 'set', items });
/** Returns the schema of a list map, whose first key is required. */
export const listMap = (keys: readonly string[], properties: object) => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
  items: object(properties, { required: keys.slice(0, 1) }),
});

/** Returns a version that is served and stored; `more` sets other fields. */
export const version = (name = 'v1', openAPIV3Schema: object = anything, more: object = {}) => ({
  ...{ name, served: true, storage: true },
  schema: { openAPIV3Schema },
  ...more,
});

export interface More {
  /** The default is example.com. */
  readonly group?: string;
  readonly scope?: 'Namespaced' | 'Cluster';
  /** Names besides kind and plural, or instead of them. */
  readonly names?: { readonly plural?: string; readonly [field: string]: unknown };
  readonly labels?: Record<string, string>;
  readonly conversion?: object;
  readonly preserveUnknownFields?: boolean;
}

/** Returns the definition of a kind `Foo` with the plural `foos`. */
export function customKind(kind: string, versions: readonly object[] = [version()], more: More = {}) {
  const { group = 'example.com', scope = 'Namespaced', names, labels, ...rest } = more;
  const all = { plural: `${kind.toLowerCase()}s`, kind, ...names };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${all.plural}.${group}`, ...(labels && { labels }) },
    spec: { group, scope, names: all, versions, ...rest },
  };
}
