/** Matches requests with the MatchResources of policies and bindings: rules, excluded rules, and selectors. */
// as apiserver/pkg/admission/plugin/policy/matching
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Client } from '../../client/interface.js';
import type { Catalogue } from '../../registry/interface.js';
import type { MatchResources } from '../../api/kubernetes/admissionregistration.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';
import type { RequestTarget } from '../matching/request-target.js';
import { type Match, firstFor, matchesOf } from '../matching/rules.js';
import { type Selectors, selectsRequest, selectorsOf } from '../matching/selectors.js';

/** The matches of MatchResources with one target. */
export interface PolicyMatches {
  readonly matches: readonly Match[];
  readonly excluded: readonly Match[];
  readonly selectors: Selectors;
}

/** Returns the matches with a target; undefined if no request to it matches. */
export function matchesAt(
  match: MatchResources | undefined,
  target: RequestTarget,
  catalogue: Catalogue,
): PolicyMatches | undefined {
  const { resourceRules = [], excludeResourceRules = [], matchPolicy } = match ?? {};
  const matches = resourceRules.length === 0 ? [{ target }] : matchesOf(resourceRules, matchPolicy, target, catalogue);
  const excluded = matchesOf(excludeResourceRules, matchPolicy, target, catalogue);
  if (matches.length === 0 || excluded.some(({ names }) => !names)) return undefined;
  return { matches, excluded, selectors: selectorsOf(match ?? {}) };
}

/** Returns the matched target of a request; undefined if it does not match. Throws if the selectors cannot be evaluated. */
export async function matchedTarget(
  { matches, excluded, selectors }: PolicyMatches,
  request: AdmissionRequest,
  current: KubeObject | undefined,
  client: Client,
): Promise<RequestTarget | undefined> {
  const found = firstFor(matches, request.name);
  if (!found || firstFor(excluded, request.name)) return undefined;
  return (await selectsRequest(selectors, request, current, client)) ? found.target : undefined;
}
