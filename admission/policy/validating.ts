// as apiserver/pkg/admission/plugin/policy/validating dispatcher.go
import type { KubeObject } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { inTurns } from '../../openapi/cel/in-turns.js';
import type { Pace } from '../../lib/cel/interpreter/pace.js';
import type { StatusError } from '../../apimachinery/errors/status.js';
import type { Authorizer } from '../../registry/access.js';
import type { Client } from '../../client/interface.js';
import type { Catalogue } from '../../registry/interface.js';
import { deny } from '../deny.js';
import { paceOf } from '../expressions/evaluate.js';
import { CachedDecisions } from '../expressions/cached-decisions.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';
import { type ObserveConditions, type ObservePolicies, policyErrorOf } from '../observe.js';
import type { RequestTarget } from '../matching/request-target.js';
import { namespaceOfRequest } from '../matching/selectors.js';
import { type Views, viewsOf } from '../matching/views.js';
import { matchedTarget } from './applies.js';
import { collectParams, paramResource } from './params.js';
import type { PolicyBinding, AdmissionPolicy, PolicyHook } from './policies.js';
import {
  type Annotation,
  type ValidationDecision,
  type PolicyResult,
  type PolicyValidator,
  evaluatePolicy,
} from './validator.js';

export interface PolicyDeps {
  readonly client: Client;
  readonly catalogue: Catalogue;
  readonly authorize: Authorizer;
  readonly observe?: ObservePolicies | undefined;
  readonly conditions?: ObserveConditions | undefined;
}

interface Denial {
  readonly policy: string;
  readonly binding: string | undefined;
  readonly message: string;
  readonly reason: string;
}

/** State of one request. */
interface Run {
  readonly request: AdmissionRequest;
  readonly views: Views;
  readonly decisions: CachedDecisions;
  readonly deps: PolicyDeps;
  readonly denials: Denial[];
  readonly pace: Pace;
}

/** Work units of a policy without its expressions, for the time slice. */
const policyUnits = 2000;

/** Runs all policies that match a request. Throws the first denial. */
export async function dispatchPolicies(
  hooks: readonly PolicyHook<PolicyValidator>[],
  request: AdmissionRequest,
  deps: PolicyDeps,
): Promise<void> {
  const decisions = new CachedDecisions(deps.authorize);
  const run: Run = { request, views: viewsOf(request), decisions, deps, denials: [], pace: paceOf(request) };
  for (const hook of hooks) {
    // The expressions may have to be compiled.
    run.pace.count(policyUnits);
    if (run.pace.isTurnOver) await run.pace.nextTurn();
    await applyPolicy(hook, run);
  }
  const [first] = run.denials;
  if (first) throw refusal(request, first);
}

/** Records a configuration error of a policy as a denial, unless it fails open. */
function misconfigured(
  { denials }: Run,
  { name, failsOpen }: AdmissionPolicy<PolicyValidator>,
  error: unknown,
  binding?: PolicyBinding,
): void {
  if (failsOpen) return;
  const what = binding ? 'failed to configure binding' : 'failed to configure policy';
  denials.push({ policy: name, binding: binding?.name, message: `${what}: ${errorText(error)}`, reason: '' });
}

async function applyPolicy({ policy, applied, bindings }: PolicyHook<PolicyValidator>, run: Run): Promise<void> {
  const { request, deps } = run;
  let target: RequestTarget | undefined;
  let found: ReturnType<typeof paramResource>;
  try {
    target = await matchedTarget(applied, request, request.object, deps.client);
    if (!target) return;
    found = paramResource(policy.spec.paramKind, deps.catalogue);
  } catch (error) {
    return misconfigured(run, policy, error);
  }
  const annotations = new Map<string, Set<string>>();
  for (const { binding, applied: bindingMatch } of bindings) {
    let params: readonly (KubeObject | undefined)[];
    try {
      if (!(await matchedTarget(bindingMatch, request, request.object, deps.client))) continue;
      params = await collectParams(found, binding.spec.paramRef, request.namespace, deps.client);
    } catch (error) {
      misconfigured(run, policy, error, binding);
      continue;
    }
    for (const param of params) {
      const result = await evaluateWithMetrics(policy, target, param, run);
      enforce(policy, binding, result, run);
      collect(annotations, result.annotations);
    }
  }
  publish(policy.name, annotations, request);
}

async function evaluateWithMetrics(
  policy: AdmissionPolicy<PolicyValidator>,
  target: RequestTarget,
  params: KubeObject | undefined,
  { request, views, decisions, deps, pace }: Run,
): Promise<PolicyResult> {
  const [object, old] = [await views.object(target), await views.old(target)];
  const namespace = await namespaceOfRequest(deps.client, request);
  const result = await decisions.run(checkAccess =>
    inTurns(
      evaluatePolicy(policy.evaluator, { request, target, object, old, namespace, params, checkAccess }, pace),
      pace,
    ),
  );
  if (policy.evaluator.conditions.length > 0) {
    const labels = { name: policy.name, kind: 'policy', type: 'validate', operation: request.operation } as const;
    deps.conditions?.evaluated(labels, result.conditions.failed, result.conditions.seconds);
  }
  return result;
}

const verbs = { Deny: 'deny', Audit: 'audit', Warn: 'warn' } as const;

function enforce(
  { name }: AdmissionPolicy<PolicyValidator>,
  binding: PolicyBinding,
  { decisions, errors }: PolicyResult,
  { request, denials, deps: { observe } }: Run,
): void {
  const { validationActions = [] } = binding.spec;
  const base = { policy: name, binding: binding.name };
  decisions.forEach((decision, index) => {
    const { denied, failed, message, reason, seconds } = decision;
    const error = policyErrorOf(message);
    if (!denied) {
      if (failed) observe?.validated({ ...base, error, action: 'allow' }, seconds);
      return;
    }
    for (const action of validationActions) {
      observe?.validated({ ...base, error, action: verbs[action as keyof typeof verbs] }, seconds);
      if (action === 'Deny') denials.push({ policy: name, binding: binding.name, message, reason });
      else if (action === 'Audit') audit(binding, index, decision, request);
      else
        request.warn(
          `Validation failed for ValidatingAdmissionPolicy '${name}' with binding '${binding.name}': ${message}`,
        );
    }
  });
  for (const message of errors) {
    observe?.validated({ ...base, error: policyErrorOf(message), action: 'deny' }, 0);
    denials.push({ ...base, message, reason: '' });
  }
}

function audit(
  { name, spec }: PolicyBinding,
  expressionIndex: number,
  { message }: ValidationDecision,
  request: AdmissionRequest,
): void {
  const { policyName: policy = '', validationActions = [] } = spec;
  const failure = { message, policy, binding: name, expressionIndex, validationActions };
  request.annotate('validation.policy.admission.k8s.io/validation_failure', JSON.stringify([failure]));
}

const maxAnnotationLength = 10 * 1024;

function collect(all: Map<string, Set<string>>, found: readonly Annotation[]): void {
  for (const { key, value } of found) {
    const values = all.get(key) ?? new Set();
    all.set(key, values.add(value.slice(0, maxAnnotationLength)));
  }
}

function publish(policy: string, all: ReadonlyMap<string, ReadonlySet<string>>, request: AdmissionRequest): void {
  for (const [key, values] of all) request.annotate(`${policy}/${key}`, [...values].join(', '));
}

const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 };

/** Returns the Status error of a denial: 422, or the code of the policy's reason. */
function refusal(request: AdmissionRequest, { policy, binding, message, reason }: Denial): StatusError {
  const by = binding === undefined ? '' : ` with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${message}`;
  const error = deny(request, text, [{ message: text }]);
  error.status.reason = reason || 'Invalid';
  error.status.code = codes[reason] ?? 422;
  return error;
}
