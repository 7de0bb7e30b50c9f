import { helpAgainst } from '../plugins/plugins.js';
import type { ExplainedDecision } from './explanation.js';

/** Returns what may help a binding that could not be placed: changes of any of these schedule it again. */
export function waitsFor(decisions: readonly ExplainedDecision[]): string[] {
  const clusters = decisions.flatMap(decision => decision.clusters);
  const fits = clusters.some(({ result }) => result !== 'filtered');
  return [
    ...helpAgainst(new Set(clusters.flatMap(({ plugin }) => plugin ?? []))),
    ...(fits ? ['room in clusters'] : []),
    ...(clusters.length === 0 ? ['a cluster that joins'] : []),
    'a change of its policy',
  ];
}
