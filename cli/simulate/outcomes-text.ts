import { aligned } from '../../lib/aligned.js';
import { explanationText, targetsText } from '../../scheduler/explain/explanation-text.js';
import type { SimulatedOutcome } from './outcome.js';

const states: Readonly<Record<SimulatedOutcome['state'], string>> = {
  new: 'new',
  moved: 'moves',
  unchanged: 'unchanged',
  notPlaced: 'does not fit',
  noPolicy: 'no policy',
  failed: 'failed',
};

/** Returns why a resource would be where it would be: why it does not fit, or why clusters lose replicas. */
function reasonOf(outcome: SimulatedOutcome): string {
  if (outcome.state === 'failed') return outcome.error;
  if (outcome.state === 'noPolicy') return 'no policy selects the resource';
  const { decisions, changes } = outcome.explanation;
  if (outcome.state === 'notPlaced') return decisions.at(-1)?.message ?? '';
  return changes
    .filter(({ from, to = 0 }) => from !== undefined && to < from)
    .map(({ cluster, reason }) => `${cluster}: ${reason}`)
    .join('; ');
}

function rowOf(outcome: SimulatedOutcome): string[] {
  const { resource, state } = outcome;
  const reason = reasonOf(outcome);
  if (!('explanation' in outcome)) return [resource, '', states[state], '', '', reason];
  const { policy, current, next } = outcome;
  return [resource, policy, states[state], targetsText(current), targetsText(next), reason];
}

/** Returns outcomes for people. `isWide`: with an explanation of each decision. */
export function outcomesText(outcomes: readonly SimulatedOutcome[], isWide: boolean): string {
  if (outcomes.length === 0) return 'there are no resources: -f names none, and the control plane has no bindings\n';
  const lines = aligned([['RESOURCE', 'POLICY', 'RESULT', 'NOW', 'WOULD BE', 'REASON'], ...outcomes.map(rowOf)]);
  const total = `${outcomes.length} resource${outcomes.length === 1 ? '' : 's'}`;
  const counts = Object.entries(states)
    .map(([state, text]) => ({ text, count: outcomes.filter(outcome => outcome.state === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ text, count }) => `${count} ${text}`);
  const explanations = isWide
    ? outcomes.flatMap(outcome => ('explanation' in outcome ? [`\n${explanationText(outcome.explanation)}`] : []))
    : [];
  return `${lines.join('\n')}\n\n${total}: ${counts.join(', ')}\n${explanations.join('')}`;
}
