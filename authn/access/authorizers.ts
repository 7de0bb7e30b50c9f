/** Small authorizers, and several as one. */
import type { Identity } from '../../apimachinery/identity.js';
import type { Attributes, Authorizer, Decision } from '../interface.js';
import { systemMasters } from '../identity/union.js';

const allowed: Decision = { allowed: true, reason: '' };
const noOpinion: Decision = { allowed: false, reason: '' };

/** Members of system:masters may do everything. Stands first. */
export const masters: Authorizer = user => (user.groups.includes(systemMasters) ? allowed : noOpinion);

/** Allows these paths to everybody: exact, or up to a `*` at the end. as apiserver/pkg/authorization/path NewAuthorizer */
export function alwaysAllowPaths(paths: readonly string[]): Authorizer {
  const exact = new Set(paths.filter(path => !path.endsWith('*')));
  const stems = paths.filter(path => path.endsWith('*')).map(path => path.slice(0, -1));
  return (_user, attributes) => {
    if (attributes.type !== 'path') return noOpinion;
    const { path } = attributes;
    return exact.has(path) || stems.some(stem => path.startsWith(stem)) ? allowed : noOpinion;
  };
}

/**
 * The first that allows or denies decides; reasons of those without opinion are joined.
 * hot: no promise is made while none of them makes one.
 */
export function union(...authorizers: readonly Authorizer[]): Authorizer {
  const from = (
    at: number,
    user: Identity,
    attributes: Attributes,
    reasons: readonly string[],
  ): ReturnType<Authorizer> => {
    let heard = reasons;
    for (let i = at; i < authorizers.length; i++) {
      const decision = authorizers[i]?.(user, attributes) ?? noOpinion;
      if (decision instanceof Promise)
        return decision.then(d => (decides(d) ? d : from(i + 1, user, attributes, add(heard, d))));
      if (decides(decision)) return decision;
      heard = add(heard, decision);
    }
    return heard.length === 0 ? noOpinion : { allowed: false, reason: heard.join('\n') };
  };
  return (user, attributes) => from(0, user, attributes, []);
}

const decides = (decision: Decision): boolean => decision.allowed || decision.denied === true;
const add = (reasons: readonly string[], { reason }: Decision): readonly string[] =>
  reason === '' ? reasons : [...reasons, reason];
