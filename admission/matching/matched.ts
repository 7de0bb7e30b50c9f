/** Caches which configuration applies to a target, so that rules are evaluated once per target and not per request. */
import type { Catalogue, ResourceDefinition } from '../../registry/interface.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';
import { type RequestTarget, isExempt } from './request-target.js';

/** hot: called with every write. Returns the configuration that applies to a request. */
export type Matched<C> = (request: AdmissionRequest) => readonly C[];

const nothing: readonly never[] = [];

/** Returns a cached lookup. `build` returns the configuration for a target; the cache is dropped when the catalogue changes. */
export function matched<C>(catalogue: Catalogue, build: (target: RequestTarget) => readonly C[]): Matched<C> {
  let known = new WeakMap<ResourceDefinition, Map<string, readonly C[]>>();
  let { generation } = catalogue;

  function fill(request: AdmissionRequest, key: string): readonly C[] {
    const { definition, version, subresource, operation } = request;
    const found = isExempt(definition) ? nothing : build({ definition, version, subresource, operation });
    const targets = known.get(definition) ?? new Map<string, readonly C[]>();
    known.set(definition, targets.set(key, found.length === 0 ? nothing : found));
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

/** Returns a lazy value that is computed again after `renew`. */
export function renewed<T>(make: () => T): { get(): T; renew(): void } {
  let made: { readonly value: T } | undefined;
  return { get: () => (made ??= { value: make() }).value, renew: () => (made = undefined) };
}

/** Returns the values sorted by name, which is the order of execution. */
export const sortedByName = <T>(byName: ReadonlyMap<string, T>): T[] =>
  [...byName].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
