import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { deepEqual } from '../../lib/json/equality.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import type { CronRule } from '../../kinds/karmada/autoscaling/cron-federated-hpa.js';
import { generationChanged } from '../../client/runtime/generation.js';
import type { ControllerContext, Key, Result } from '../../client/runtime/interface.js';
import { observed } from '../../client/runtime/meter.js';
import { updateObject } from '../../client/runtime/update.js';
import { parseCron, type Schedule } from './cron.js';
import { cronSeries } from './cron-series.js';
import { type CronFederatedHpaWithStatus, nextHistories, type Outcome } from './history.js';
import { scale } from './scale.js';

const resource: GroupVersionResource = {
  group: 'autoscaling.karmada.io',
  version: 'v1alpha1',
  resource: 'cronfederatedhpas',
};

interface Running {
  readonly rule: CronRule;
  readonly schedule: Schedule;
  /** Time of the next execution in milliseconds since the epoch; undefined if there is none. */
  due: number | undefined;
}

/** State of one CronFederatedHPA between two reconciles. */
interface Plan {
  readonly running: Map<string, Running>;
  /** Results of executions that are not in the status yet. */
  outcomes: Outcome[];
}

const never: Schedule = { next: () => undefined };

/**
 * Starts the controller that scales by cron: every rule has a schedule in a time zone of its own. An execution that was due while
 * no controller was running is not made up for.
 */
export function startCronFederatedHpa(context: ControllerContext): void {
  const { client, clock } = context;
  const recorder = context.recorder('cronfederatedhpa-controller');
  const hpas = context.informers.informer<CronFederatedHpaWithStatus>(resource);
  const plans = new Map<Key, Plan>();
  const processed = cronSeries(context.meter);

  context.run({
    name: 'cronfederatedhpa-controller',
    synced: [hpas.synced],
    wire: queue =>
      hpas.onChange(change => {
        if (generationChanged(change)) queue.add(change.key);
      }),
    reconcile: async key => {
      const hpa = hpas.get(key);
      if (!hpa || hpa.metadata.deletionTimestamp) {
        plans.delete(key);
        return undefined;
      }
      let plan = plans.get(key);
      if (!plan) plans.set(key, (plan = { running: new Map<string, Running>(), outcomes: [] }));
      await observed(() => work(hpa, plan), processed.object);
      return nextLook(plan);
    },
  });

  async function work(hpa: CronFederatedHpaWithStatus, plan: Plan): Promise<void> {
    follow(hpa, plan);
    await execute(hpa, plan);
    await writeStatus(hpa, plan);
  }

  /** Schedules rules that are new or changed, and drops those that are gone or suspended. */
  function follow(hpa: CronFederatedHpaWithStatus, { running }: Plan): void {
    const rules = hpa.spec.rules.filter(({ suspend }) => !suspend);
    const names = new Set(rules.map(({ name }) => name));
    for (const name of [...running.keys()]) if (!names.has(name)) running.delete(name);
    for (const rule of rules) {
      if (deepEqual(running.get(rule.name)?.rule, rule)) continue;
      let schedule = never;
      try {
        schedule = parseCron(rule.schedule, rule.timeZone);
      } catch (error) {
        // Admission accepts some schedules that the parser rejects. A retry would not help; a change of the rule wakes the controller.
        const text = `gocron: cron expression failed to be parsed: ${errorText(error)}`;
        recorder.event(hpa, 'Warning', 'StartRuleFailed', text);
      }
      running.set(rule.name, { rule, schedule, due: schedule.next(clock.now()) });
    }
  }

  async function execute(hpa: CronFederatedHpaWithStatus, plan: Plan): Promise<void> {
    for (const entry of plan.running.values()) {
      const { rule, schedule, due } = entry;
      const now = clock.now();
      if (due === undefined || due > now) continue;
      entry.due = schedule.next(now);
      let failure: string | undefined;
      try {
        await observed(() => scale(hpa, rule, client), processed.rule);
      } catch (error) {
        failure = errorText(error);
        recorder.event(hpa, 'Warning', 'ScaleFailed', failure);
      }
      plan.outcomes.push({ rule, scheduled: due, executed: clock.now(), failure });
    }
  }

  async function writeStatus(hpa: CronFederatedHpaWithStatus, plan: Plan): Promise<void> {
    const outcomes = plan.outcomes;
    const next = new Map([...plan.running].flatMap(([name, { due }]) => (due === undefined ? [] : [[name, due]])));
    try {
      await updateObject(
        client,
        resource,
        hpa,
        draft => {
          const histories = nextHistories(draft.status?.executionHistories ?? [], hpa.spec.rules, next, outcomes);
          draft.status = { ...draft.status, executionHistories: histories };
        },
        { subresource: 'status' },
      );
      plan.outcomes = [];
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return;
      const reason = outcomes.length > 0 ? 'UpdateStatusFailed' : 'UpdateCronFederatedHPAFailed';
      recorder.event(hpa, 'Warning', reason, errorText(error));
      throw error;
    }
  }

  function nextLook({ running }: Plan): Result {
    const dues = [...running.values()].flatMap(({ due }) => due ?? []);
    return dues.length > 0 ? { againAfter: Math.max(1, Math.min(...dues) - clock.now()) } : undefined;
  }
}
