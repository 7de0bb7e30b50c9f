import type { CronFederatedHpa, CronRule } from '../../kinds/karmada/autoscaling/cron-federated-hpa.js';
import { timestamp } from '../../client/runtime/conditions.js';

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

/** Returns the histories of the existing rules, with the outcomes added; `next` holds the next execution times of the active rules. */
export function nextHistories(
  histories: readonly ExecutionHistory[],
  rules: readonly CronRule[],
  next: ReadonlyMap<string, number>,
  outcomes: readonly ExecutionOutcome[],
): ExecutionHistory[] {
  // Existing histories keep their order.
  const order = [...histories.map(({ ruleName }) => ruleName), ...rules.map(({ name }) => name)];
  return [...new Set(order)].flatMap(name => {
    const rule = rules.find(rule => rule.name === name);
    if (!rule) return [];
    const { nextExecutionTime: _, ...known } = histories.find(({ ruleName }) => ruleName === name) ?? {
      ruleName: name,
    };
    const due = next.get(name);
    let history: ExecutionHistory = { ...known, ...(due === undefined ? {} : { nextExecutionTime: timestamp(due) }) };
    for (const outcome of outcomes) if (outcome.rule.name === name) history = withOutcome(history, outcome);
    return [history];
  });
}

/** Returns the history with the outcome as its first entry, cut to the history limit of the rule. */
function withOutcome(
  history: ExecutionHistory,
  { rule, scheduled, executed, failure }: ExecutionOutcome,
): ExecutionHistory {
  const times = { scheduleTime: timestamp(scheduled), executionTime: timestamp(executed) };
  if (failure !== undefined) {
    const failed = [{ ...times, message: failure }, ...(history.failedExecutions ?? [])];
    return { ...history, failedExecutions: failed.slice(0, rule.failedHistoryLimit ?? defaultLimit) };
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
