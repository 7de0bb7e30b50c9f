import { aligned } from '../../lib/aligned.js';
import { targetsText } from '../../scheduler/explain/explanation-text.js';
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

/** Collects outcomes for people: a line of each, and how many there are of each kind. Explanations are not kept. */
export class OutcomeTable {
  readonly #rows: string[][] = [];
  readonly #counts = new Map<SimulatedOutcome['state'], number>();

  add(outcome: SimulatedOutcome): void {
    this.#rows.push(rowOf(outcome));
    this.#counts.set(outcome.state, (this.#counts.get(outcome.state) ?? 0) + 1);
  }

  get text(): string {
    const { length } = this.#rows;
    if (length === 0) return 'there are no resources: -f names none, and the control plane has no bindings\n';
    const lines = aligned([['RESOURCE', 'POLICY', 'RESULT', 'NOW', 'WOULD BE', 'REASON'], ...this.#rows]);
    const total = `${length} resource${length === 1 ? '' : 's'}`;
    const counts = Object.entries(states).flatMap(([state, text]) => {
      const count = this.#counts.get(state as SimulatedOutcome['state']) ?? 0;
      return count > 0 ? [`${count} ${text}`] : [];
    });
    return `${lines.join('\n')}\n\n${total}: ${counts.join(', ')}\n`;
  }
}
