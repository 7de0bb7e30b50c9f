/** Matches requests with the MatchResources of policies and bindings: rules, excluded rules, and selectors. */
// as apiserver/pkg/admission/plugin/policy/matching
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Client } from '../../client/interface.js';
import type { Catalogue } from '../../registry/interface.js';
import type { MatchResources } from '../../api/kubernetes/admissionregistration.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';
import type { Place } from '../matching/place.js';
import { type Match, firstFor, matchesOf } from '../matching/rules.js';
import { type Selectors, isSelected, selectorsOf } from '../matching/selectors.js';

/** The matches of MatchResources with one place. */
export interface Applied {
  readonly matches: readonly Match[];
  readonly excluded: readonly Match[];
  readonly selectors: Selectors;
}

/** Returns the matches with a place; undefined if no request to it matches. */
export function appliedAt(match: MatchResources | undefined, place: Place, catalogue: Catalogue): Applied | undefined {
  const { resourceRules = [], excludeResourceRules = [], matchPolicy } = match ?? {};
  const matches = resourceRules.length === 0 ? [{ place }] : matchesOf(resourceRules, matchPolicy, place, catalogue);
  const excluded = matchesOf(excludeResourceRules, matchPolicy, place, catalogue);
  if (matches.length === 0 || excluded.some(({ names }) => !names)) return undefined;
  return { matches, excluded, selectors: selectorsOf(match ?? {}) };
}

/** Returns the matched place of a request; undefined if it does not match. Throws if the selectors cannot be evaluated. */
export async function matchedPlace(
  { matches, excluded, selectors }: Applied,
  request: AdmissionRequest,
  current: KubeObject | undefined,
  client: Client,
): Promise<Place | undefined> {
  const found = firstFor(matches, request.name);
  if (!found || firstFor(excluded, request.name)) return undefined;
  return (await isSelected(selectors, request, current, client)) ? found.place : undefined;
}
