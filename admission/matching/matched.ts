/** What is configured for a place, found by one look: rules are read once per place, not per request. */
import type { Catalogue, ResourceDefinition } from '../../registry/interface.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';
import { type Place, isExempt } from './place.js';

/** hot: asked for with every write. */
export type Matched<C> = (request: AdmissionRequest) => readonly C[];

const nothing: readonly never[] = [];

/** `build`: what is configured for a place. Good for as long as the configuration is. */
export function matched<C>(catalogue: Catalogue, build: (place: Place) => readonly C[]): Matched<C> {
  let known = new WeakMap<ResourceDefinition, Map<string, readonly C[]>>();
  let { generation } = catalogue;

  function fill(request: AdmissionRequest, key: string): readonly C[] {
    const { definition, version, subresource, operation } = request;
    const found = isExempt(definition) ? nothing : build({ definition, version, subresource, operation });
    const places = known.get(definition) ?? new Map<string, readonly C[]>();
    known.set(definition, places.set(key, found.length === 0 ? nothing : found));
    return found;
  }

  return request => {
    if (generation !== catalogue.generation) {
      known = new WeakMap();
      ({ generation } = catalogue);
    }
    const key = `${request.operation} ${request.version} ${request.subresource}`;
    return known.get(request.definition)?.get(key) ?? fill(request, key);
  };
}

/** What is made of a configuration when it is first asked for after a change. */
export function renewed<T>(make: () => T): { get(): T; renew(): void } {
  let made: { readonly value: T } | undefined;
  return { get: () => (made ??= { value: make() }).value, renew: () => (made = undefined) };
}

/** By name, as whatever is configured takes effect. */
export const inOrder = <T>(byName: ReadonlyMap<string, T>): T[] =>
  [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
