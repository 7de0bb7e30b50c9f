import type { GroupVersionResource } from '../../apimachinery/interface.js';
import type { Clock } from '../../lib/clock.js';
import { deepEqual } from '../../lib/json/equality.js';
import { eachInTurns, inTimeSlices, yieldToEventLoop } from '../../lib/time-slice.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import type { Client } from '../../client/interface.js';
import type { CronRule } from '../../kinds/karmada/autoscaling/cron-federated-hpa.js';
import { generationChanged } from '../../client/runtime/generation.js';
import type {
  ControllerContext,
  EventRecorder,
  Informer,
  Key,
  ReconcileResult,
  WorkQueue,
} from '../../client/runtime/interface.js';
import { observed } from '../../client/runtime/meter.js';
import { updateObject } from '../../client/runtime/update.js';
import { parseCron, type Schedule } from './cron.js';
import { cronSeries } from './cron-series.js';
import { type CronFederatedHpaWithStatus, type ExecutionOutcome, lastOutcomes, nextHistories } from './history.js';
import { scale } from './scale.js';

const name = 'cronfederatedhpa-controller';
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
  readonly uid: string | undefined;
  readonly running: Map<string, Running>;
  /** Results of executions that are not in the status yet. */
  outcomes: ExecutionOutcome[];
}

const never: Schedule = { next: () => undefined };

/** Keeps the plans of all CronFederatedHPAs, and executes what is due. as pkg/controllers/cronfederatedhpa CronFHPAController */
class CronFederatedHpaController {
  readonly #hpas: Informer<CronFederatedHpaWithStatus>;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #recorder: EventRecorder;
  readonly #series: ReturnType<typeof cronSeries>;
  readonly #plans = new Map<Key, Plan>();

  constructor({ client, clock, informers, meter, recorder }: ControllerContext) {
    this.#hpas = informers.informer<CronFederatedHpaWithStatus>(resource);
    this.#client = client;
    this.#clock = clock;
    this.#recorder = recorder(name);
    this.#series = cronSeries(meter);
  }

  get synced(): readonly Promise<void>[] {
    return [this.#hpas.synced];
  }

  wire(queue: WorkQueue): void {
    this.#hpas.onChange(change => {
      if (generationChanged(change)) queue.add(change.key);
    });
  }

  async reconcile(key: Key): Promise<ReconcileResult> {
    const hpa = this.#hpas.get(key);
    if (!hpa || hpa.metadata.deletionTimestamp) {
      this.#plans.delete(key);
      return undefined;
    }
    const plan = this.#planOf(key, hpa.metadata.uid);
    await observed(async () => {
      await this.#follow(hpa, plan);
      await yieldToEventLoop();
      await this.#execute(hpa, plan);
      await yieldToEventLoop();
      await this.#writeStatus(hpa, plan);
    }, this.#series.object);
    return this.#nextLook(plan);
  }

  /** Returns the plan of an object. One that takes the place of a deleted object, which may never be seen as deleted, has a new plan. */
  #planOf(key: Key, uid: string | undefined): Plan {
    const known = this.#plans.get(key);
    if (known && known.uid === uid) return known;
    const plan: Plan = { uid, running: new Map(), outcomes: [] };
    this.#plans.set(key, plan);
    return plan;
  }

  /** Schedules rules that are new or changed, and drops those that are gone or suspended. A user may have written thousands. */
  async #follow(hpa: CronFederatedHpaWithStatus, { running }: Plan): Promise<void> {
    const rules = hpa.spec.rules.filter(({ suspend }) => !suspend);
    const names = new Set(rules.map(rule => rule.name));
    for (const known of [...running.keys()]) if (!names.has(known)) running.delete(known);
    await eachInTurns(rules, rule => {
      if (deepEqual(running.get(rule.name)?.rule, rule)) return;
      const schedule = this.#scheduleOf(rule, hpa);
      running.set(rule.name, { rule, schedule, due: schedule.next(this.#clock.now()) });
    });
  }

  /** Returns the schedule of a rule. A rule that cannot be parsed is reported, and never executed. */
  #scheduleOf(rule: CronRule, hpa: CronFederatedHpaWithStatus): Schedule {
    try {
      return parseCron(rule.schedule, rule.timeZone);
    } catch (error) {
      // Admission accepts some schedules that the parser rejects. A retry would not help; a change of the rule wakes the controller.
      const text = `gocron: cron expression failed to be parsed: ${errorText(error)}`;
      this.#recorder.event(hpa, 'Warning', 'StartRuleFailed', text);
      return never;
    }
  }

  async #execute(hpa: CronFederatedHpaWithStatus, plan: Plan): Promise<void> {
    for (const entry of plan.running.values()) {
      const { rule, schedule, due } = entry;
      const now = this.#clock.now();
      if (due === undefined || due > now) continue;
      entry.due = schedule.next(now);
      let failure: string | undefined;
      try {
        await observed(() => scale(hpa, rule, this.#client), this.#series.rule);
      } catch (error) {
        failure = errorText(error);
        this.#recorder.event(hpa, 'Warning', 'ScaleFailed', failure);
      }
      plan.outcomes.push({ rule, scheduled: due, executed: this.#clock.now(), failure });
      await yieldToEventLoop();
    }
  }

  async #writeStatus(hpa: CronFederatedHpaWithStatus, plan: Plan): Promise<void> {
    const { outcomes } = plan;
    const next = new Map([...plan.running].flatMap(([rule, { due }]) => (due === undefined ? [] : [[rule, due]])));
    const change = async (draft: CronFederatedHpaWithStatus): Promise<void> => {
      const steps = nextHistories(draft.status?.executionHistories ?? [], hpa.spec.rules, next, outcomes);
      draft.status = { ...draft.status, executionHistories: await inTimeSlices(steps) };
      // To write thousands of histories takes long, too.
      await yieldToEventLoop();
    };
    try {
      await updateObject(this.#client, resource, hpa, change, { subresource: 'status' });
      plan.outcomes = [];
    } catch (error) {
      if (error instanceof StatusError && error.code === 404) return;
      // The write may be refused for as long as the object exists, for example by a webhook, while rules are executed.
      plan.outcomes = lastOutcomes(hpa.spec.rules, outcomes);
      const reason = outcomes.length > 0 ? 'UpdateStatusFailed' : 'UpdateCronFederatedHPAFailed';
      this.#recorder.event(hpa, 'Warning', reason, errorText(error));
      throw error;
    }
  }

  #nextLook({ running }: Plan): ReconcileResult {
    const dues = [...running.values()].flatMap(({ due }) => due ?? []);
    return dues.length > 0 ? { againAfter: Math.max(1, Math.min(...dues) - this.#clock.now()) } : undefined;
  }
}

/**
 * Starts the controller that scales by cron: every rule has a schedule in a time zone of its own. An execution that was due while
 * no controller was running is not made up for.
 */
export function startCronFederatedHpa(context: ControllerContext): void {
  const controller = new CronFederatedHpaController(context);
  context.run({
    name,
    synced: controller.synced,
    wire: queue => controller.wire(queue),
    reconcile: key => controller.reconcile(key),
  });
}
