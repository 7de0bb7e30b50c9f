import type { CronFederatedHpa, CronRule } from '../../kinds/karmada/autoscaling/cron-federated-hpa.js';
import { timestamp } from '../../client/runtime/conditions.js';
import { type InSteps, Strides } from '../../lib/time-slice.js';

interface Execution {
  scheduleTime?: string;
  executionTime?: string;
}

interface SuccessfulExecution extends Execution {
  appliedReplicas?: number;
  appliedMinReplicas?: number;
  appliedMaxReplicas?: number;
}

interface FailedExecution extends Execution {
  message: string;
}

interface ExecutionHistory {
  ruleName: string;
  nextExecutionTime?: string;
  successfulExecutions?: SuccessfulExecution[];
  failedExecutions?: FailedExecution[];
}

export interface CronFederatedHpaWithStatus extends CronFederatedHpa {
  status?: { executionHistories?: ExecutionHistory[] };
}

/** Result of one execution of a rule. Times in milliseconds since the epoch. */
export interface ExecutionOutcome {
  readonly rule: CronRule;
  readonly scheduled: number;
  readonly executed: number;
  /** The error's message; undefined if the execution succeeded. */
  readonly failure: string | undefined;
}

const defaultLimit = 3;

/** Returns the histories of the existing rules, with the outcomes added, in steps; `next` holds the next execution times of the active rules. */
export function* nextHistories(
  histories: readonly ExecutionHistory[],
  rules: readonly CronRule[],
  next: ReadonlyMap<string, number>,
  outcomes: readonly ExecutionOutcome[],
): InSteps<ExecutionHistory[]> {
  const strides = new Strides();
  const names = new Set(rules.map(({ name }) => name));
  const all = new Map<string, ExecutionHistory>();
  // Existing histories keep their order. Each part is found by its name: there may be thousands of rules.
  for (const { nextExecutionTime: _, ...history } of histories) {
    const { ruleName } = history;
    if (names.has(ruleName) && !all.has(ruleName)) all.set(ruleName, history);
    if (strides.isOver) yield;
  }
  for (const name of names) {
    const due = next.get(name);
    const known = all.get(name) ?? { ruleName: name };
    all.set(name, due === undefined ? known : { ...known, nextExecutionTime: timestamp(due) });
    if (strides.isOver) yield;
  }
  for (const outcome of outcomes) {
    const history = all.get(outcome.rule.name);
    if (history) all.set(outcome.rule.name, withOutcome(history, outcome));
    if (strides.isOver) yield;
  }
  return [...all.values()];
}

/** Returns the outcomes that the histories can hold: of each existing rule, the last ones up to its limits, oldest first. */
export function lastOutcomes(rules: readonly CronRule[], outcomes: readonly ExecutionOutcome[]): ExecutionOutcome[] {
  const names = new Set(rules.map(({ name }) => name));
  const counts = new Map<string, number>();
  const kept = outcomes.toReversed().filter(({ rule, failure }) => {
    if (!names.has(rule.name)) return false;
    const failed = failure !== undefined;
    const of = `${failed}/${rule.name}`;
    const count = (counts.get(of) ?? 0) + 1;
    counts.set(of, count);
    return count <= ((failed ? rule.failedHistoryLimit : rule.successfulHistoryLimit) ?? defaultLimit);
  });
  return kept.reverse();
}

/**
 * Returns the history with the outcome as its first entry, cut to the history limit of the rule. An empty list is absent, as Go omits it. differs:
 * Karmada ends with a panic at a failure of a rule with the limit 0.
 */
function withOutcome(
  history: ExecutionHistory,
  { rule, scheduled, executed, failure }: ExecutionOutcome,
): ExecutionHistory {
  const times = { scheduleTime: timestamp(scheduled), executionTime: timestamp(executed) };
  if (failure !== undefined) {
    const { failedExecutions = [], ...others } = history;
    const failed = [{ ...times, message: failure }, ...failedExecutions];
    const kept = failed.slice(0, rule.failedHistoryLimit ?? defaultLimit);
    return kept.length > 0 ? { ...others, failedExecutions: kept } : others;
  }
  const { targetReplicas, targetMinReplicas, targetMaxReplicas } = rule;
  const execution: SuccessfulExecution = {
    ...times,
    ...(targetReplicas === undefined ? {} : { appliedReplicas: targetReplicas }),
    ...(targetMaxReplicas === undefined ? {} : { appliedMaxReplicas: targetMaxReplicas }),
    ...(targetMinReplicas === undefined ? {} : { appliedMinReplicas: targetMinReplicas }),
  };
  const successful = [execution, ...(history.successfulExecutions ?? [])];
  return { ...history, successfulExecutions: successful.slice(0, rule.successfulHistoryLimit ?? defaultLimit) };
}
