// as apiserver/pkg/admission/plugin/policy/mutating dispatcher.go, policy/generic policy_dispatcher.go
import type { KubeObject } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { namespacedName } from '../../apimachinery/meta/gvk.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import { inTurns } from '../../openapi/cel/in-turns.js';
import type { Pace } from '../../lib/cel/interpreter/pace.js';
import { deny } from '../deny.js';
import { holds, newTally } from '../expressions/conditions.js';
import { type ExpressionInput, paceOf, variablesOf } from '../expressions/evaluate.js';
import { CachedDecisions } from '../expressions/cached-decisions.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';
import { type PolicyError, policyErrorOf } from '../observe.js';
import type { RequestTarget } from '../matching/request-target.js';
import { namespaceOfRequest } from '../matching/selectors.js';
import { type RequestDraft, draftOf } from '../matching/views.js';
import { type Rounds, roundsOf } from '../reinvocation.js';
import { isSameObject } from '../same-object.js';
import { matchedTarget } from './applies.js';
import { changed, type Mutator, changeValue } from './mutator.js';
import { collectParams, paramResource } from './params.js';
import type { PolicyBinding, AdmissionPolicy, PolicyHook } from './policies.js';
import type { PolicyDeps } from './validating.js';

export const mutatingPolicyName = 'MutatingAdmissionPolicy';

/** A policy with a binding and a parameter. */
interface Invocation {
  readonly policy: AdmissionPolicy<Mutator>;
  readonly binding: PolicyBinding;
  readonly target: RequestTarget;
  readonly params: KubeObject | undefined;
}

interface Fault {
  readonly message: string;
  readonly reason: string;
}

/** Collects the faults of policies that do not fail open. */
interface Faults {
  add(policy: AdmissionPolicy<Mutator>, binding: PolicyBinding | undefined, text: string, reason?: string): void;
  readonly all: readonly Fault[];
}

function createFaults(): Faults {
  const all: Fault[] = [];
  return {
    all,
    add({ name, failsOpen }, binding, text, reason = '') {
      if (failsOpen) return;
      const subject = binding ? `policy '${name}' with binding '${binding.name}'` : `policy ${JSON.stringify(name)}`;
      all.push({ message: `${subject} denied request: ${text}`, reason });
    },
  };
}

/** Runs the policies that match a request, one after the other. Throws the refusal. */
export async function dispatchMutatingPolicies(
  hooks: readonly PolicyHook<Mutator>[],
  request: AdmissionRequest,
  deps: PolicyDeps,
): Promise<void> {
  const faults = createFaults();
  const invocations = await invocationsOf(hooks, request, deps, faults);
  if (invocations.length > 0) await invoke(invocations, request, deps, faults);
  if (faults.all.length > 0) throw refusal(request, faults.all);
}

async function invocationsOf(
  hooks: readonly PolicyHook<Mutator>[],
  request: AdmissionRequest,
  { client, catalogue }: PolicyDeps,
  faults: Faults,
): Promise<readonly Invocation[]> {
  const found: Invocation[] = [];
  for (const { policy, applied, bindings } of hooks) {
    let target: RequestTarget | undefined;
    let resource: ReturnType<typeof paramResource>;
    try {
      target = await matchedTarget(applied, request, request.object, client);
      if (!target) continue;
      resource = paramResource(policy.spec.paramKind, catalogue);
    } catch (error) {
      faults.add(policy, undefined, `failed to configure policy: ${errorText(error)}`);
      continue;
    }
    for (const { binding, applied: bindingMatch } of bindings) {
      try {
        if (!(await matchedTarget(bindingMatch, request, request.object, client))) continue;
        const all = await collectParams(resource, binding.spec.paramRef, request.namespace, client);
        for (const params of all) found.push({ policy, binding, target, params });
      } catch (error) {
        faults.add(policy, binding, `failed to configure binding: ${errorText(error)}`);
      }
    }
  }
  return found;
}

interface Run {
  readonly request: AdmissionRequest;
  readonly draft: RequestDraft;
  readonly rounds: Rounds;
  readonly decisions: CachedDecisions;
  readonly namespace: KubeObject | undefined;
  readonly faults: Faults;
  readonly deps: PolicyDeps;
  readonly pace: Pace;
}

async function invoke(
  invocations: readonly Invocation[],
  request: AdmissionRequest,
  deps: PolicyDeps,
  faults: Faults,
): Promise<void> {
  const rounds = roundsOf(request, mutatingPolicyName);
  if (rounds.round() > 0) await request.pause?.();
  const beginning = rounds.begin(request.object);
  if (beginning) await beginning;
  const draft = draftOf(request);
  const namespace = await namespaceOfRequest(deps.client, request);
  const run: Run = {
    request,
    draft,
    rounds,
    decisions: new CachedDecisions(deps.authorize),
    namespace,
    faults,
    deps,
    pace: paceOf(request),
  };
  let dirty = false;
  for (const invocation of invocations) dirty = (await runInvocation(invocation, run)) || dirty;
  await draft.settle();
  if (dirty) rounds.changed();
  await request.pause?.();
  rounds.end(request.object);
}

function idOf({ policy, binding, params }: Invocation): string {
  const { namespace, name = '' } = params?.metadata ?? {};
  return `${policy.name} ${binding.name} ${namespacedName(namespace, name)}`;
}

/** Runs one invocation. Returns whether the object was written, even if unchanged. */
async function runInvocation(invocation: Invocation, run: Run): Promise<boolean> {
  const { policy, binding, target, params } = invocation;
  const { request, draft, rounds, decisions, namespace, faults, deps, pace } = run;
  const { conditions, variables, changes, reinvoked } = policy.evaluator;
  const inputOf = async (): Promise<ExpressionInput> => ({
    ...{ request, target, params },
    ...{ object: await draft.object(target), old: await draft.old(target) },
  });
  const first = await inputOf();
  const tally = newTally();
  const conditionsMet = await decisions.run(checkAccess =>
    inTurns(holds(conditions, variablesOf({ ...first, checkAccess }), pace, tally), pace),
  );
  if (conditions.length > 0) {
    const labels = { name: policy.name, kind: 'policy', type: 'validate', operation: request.operation } as const;
    deps.conditions?.evaluated(labels, tally.failed, tally.seconds);
  }
  if (typeof conditionsMet === 'object') faults.add(policy, binding, conditionsMet.error, 'Invalid');
  const id = idOf(invocation);
  if (conditionsMet !== true || !rounds.isDue(id)) return false;
  let dirty = false;
  for (const change of changes) {
    const seen = await inputOf();
    if (!seen.object) continue;
    const started = performance.now();
    const count = (error: PolicyError): void =>
      deps.observe?.mutated(
        { policy: policy.name, binding: binding.name, error },
        (performance.now() - started) / 1000,
      );
    try {
      const value = await decisions.run(checkAccess =>
        inTurns(changeValue(change, variables, { ...seen, namespace, checkAccess }, pace), pace),
      );
      const { object, floats } = await inTurns(changed(change, value, seen.object, target), pace);
      draft.put(target, object, floats);
      dirty = true;
      count('no_error');
    } catch (error) {
      count(policyErrorOf(errorText(error)));
      if (error instanceof StatusError || !(error instanceof Error)) throw error;
      faults.add(policy, binding, error.message, 'Invalid');
    }
  }
  if (!(await isSameObject(request, first.object, await draft.object(target)))) rounds.changed();
  if (reinvoked) rounds.invoked(id);
  return dirty;
}

/** Returns the refusal: the message of the first fault, with all faults as causes. */
function refusal(request: AdmissionRequest, faults: readonly Fault[]): StatusError {
  const causes = faults.map(({ message }) => ({ message }));
  const { status } = deny(request, 'admission request denied by policy', causes);
  const [first] = faults;
  return new StatusError({
    ...status,
    message: first?.message ?? '',
    reason: first?.reason || (status.reason ?? ''),
  });
}
