import { bindingName } from '../../api/karmada/names.js';
import type { Binding, Policy } from '../../api/karmada/types.js';
import { namespacedName } from '../../apimachinery/meta/gvk.js';
import { aggregateFailures } from '../../client/runtime/failures.js';
import type { Informer, Key, ReconcileResult, WorkQueue } from '../../client/runtime/interface.js';
import type { DetectorDeps, PolicyStep } from './interface.js';
import { finishDeletion, policySteps } from './reconcile-policy.js';
import { placeOfTemplate, type TemplateKey } from './templates.js';

/** The number of templates that one reconciliation of a policy visits. */
const passSteps = 16;

/** Milliseconds between two reconciliations of a policy that has more templates, times the number of passes. */
const pauseMs = 5;

/** Milliseconds after which the next templates of a policy are visited although controllers or the scheduler are behind, times the number of passes. */
const maxWaitMs = 100;

/** The controllers through which a template comes that a policy wakes. What waits for the scheduler, its binding shows. */
const fed: ReadonlySet<string> = new Set([
  'resource-detector',
  'binding-controller',
  'cluster-resource-binding-controller',
  'dependencies-distributor',
  'execution-controller',
]);

/** The number of waiting keys of these controllers from which on they are behind. */
const maxBacklog = 32;

/** The number of failures of one pass that are reported. */
const maxFailures = 10;

/** The progress of the reconciliation of one policy through its templates. */
class Pass {
  readonly uid: string | undefined;
  readonly isFinal: boolean;
  readonly steps: AsyncGenerator<PolicyStep, void>;
  readonly failures: unknown[] = [];
  /** The templates that the last reconciliation has woken. */
  woken: TemplateKey[] = [];
  wokenAt = -Infinity;
  /** The policy has changed since the pass began: another one follows. */
  isStale = false;

  constructor({ metadata }: Policy, steps: AsyncGenerator<PolicyStep, void>) {
    this.uid = metadata.uid;
    this.isFinal = metadata.deletionTimestamp !== undefined;
    this.steps = steps;
  }

  isOf({ metadata }: Policy): boolean {
    return this.uid === metadata.uid && this.isFinal === (metadata.deletionTimestamp !== undefined);
  }
}

/**
 * Reconciles policies in passes through their templates. A policy may have ten thousand templates, so that a reconciliation visits only some of
 * them, and the next ones when these have come through the controllers and the scheduler: what others change does not wait for a whole policy, and
 * no queue holds all of its templates. A pass that is lost, since another process becomes the leader, is begun again with the first list of policies.
 */
export class PolicyPasses {
  readonly #policies: Informer<Policy>;
  readonly #deps: DetectorDeps;
  readonly #passes = new Map<Key, Pass>();
  #queue: Pick<WorkQueue, 'add'> | undefined;

  constructor(policies: Informer<Policy>, deps: DetectorDeps) {
    this.#policies = policies;
    this.#deps = deps;
  }

  /** Sets the queue of the policies. */
  open(queue: Pick<WorkQueue, 'add'>): void {
    this.#queue = queue;
  }

  /** Reconciles a policy that has changed. A pass that has begun goes on to its end, so that frequent changes cannot keep it from the last templates. */
  changed(key: Key): void {
    const pass = this.#passes.get(key);
    if (pass) pass.isStale = true;
    this.#queue?.add(key);
  }

  deleted(key: Key): void {
    this.#passes.delete(key);
  }

  /**
   * Visits the next templates of a policy. Throws at the end of a pass in which templates have failed; the next pass visits all again, after a delay
   * unless the policy has changed.
   */
  async reconcile(key: Key): Promise<ReconcileResult> {
    const policy = this.#policies.get(key);
    if (!policy) return;
    const pass = this.#passOf(key, policy);
    const next = { againAfter: pauseMs * this.#passes.size, isPartial: true };
    if (this.#isBehind(pass)) return next;
    let isOver: boolean;
    try {
      isOver = await this.#visit(pass);
    } catch (error) {
      this.#end(key, pass);
      throw error;
    }
    if (!isOver) return next;
    this.#end(key, pass);
    if (pass.failures.length > 0) throw aggregateFailures(pass.failures);
    if (pass.isFinal && !pass.isStale) await finishDeletion(policy, this.#deps);
  }

  #end(key: Key, pass: Pass): void {
    if (this.#passes.get(key) === pass) this.#passes.delete(key);
    if (pass.isStale) this.#queue?.add(key);
  }

  #passOf(key: Key, policy: Policy): Pass {
    const known = this.#passes.get(key);
    if (known?.isOf(policy)) return known;
    const pass = new Pass(
      policy,
      policySteps(() => this.#policies.get(key) ?? policy, this.#deps),
    );
    this.#passes.set(key, pass);
    return pass;
  }

  /** Resolves with true when the pass is over. */
  async #visit(pass: Pass): Promise<boolean> {
    pass.woken = [];
    for (let i = 0; i < passSteps; i++) {
      const { done, value } = await pass.steps.next();
      if (done) return true;
      try {
        await value.run();
        if (value.wakes !== undefined) pass.woken.push(value.wakes);
      } catch (error) {
        if (pass.failures.length < maxFailures) pass.failures.push(error);
      }
    }
    pass.wokenAt = this.#deps.context.clock.now();
    return false;
  }

  /** Reports whether the templates of the last reconciliation have not come through yet. */
  #isBehind({ woken, wokenAt }: Pass): boolean {
    const { context } = this.#deps;
    if (context.clock.now() - wokenAt >= maxWaitMs * this.#passes.size) return false;
    return context.backlog(fed) > maxBacklog || woken.some(key => this.#isUnscheduled(key));
  }

  #isUnscheduled(key: TemplateKey): boolean {
    const { kind, namespace, name } = placeOfTemplate(key);
    const { bindings, clusterBindings } = this.#deps;
    const nameOfBinding = bindingName(kind, name);
    const binding: Binding | undefined = namespace
      ? bindings.get(namespacedName(namespace, nameOfBinding))
      : clusterBindings.get(nameOfBinding);
    return binding !== undefined && binding.metadata.generation !== binding.status?.schedulerObservedGeneration;
  }
}
