/** Implements ValidatingAdmissionPolicy and MutatingAdmissionPolicy: policies in CEL. */
import type { KubeObject } from '../../apimachinery/interface.js';
import { follow } from '../../client/watch/follow.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission-plugin.js';
import type { ObservePolicies } from '../observe.js';
import { type ConfiguredOptions, admissionregistration, whenSynced } from '../webhook/webhooks.js';
import { dispatchMutatingPolicies, mutatingPolicyName } from './mutating.js';
import { mutatorOf } from './mutator.js';
import { type PolicyHook, Policies } from './policies.js';
import { type PolicyDeps, dispatchPolicies } from './validating.js';
import { validatorOf } from './validator.js';

interface PolicyOptions extends ConfiguredOptions {
  readonly observe?: ObservePolicies;
}

interface PolicyPlugins {
  readonly mutating: AdmissionPlugin;
  readonly validating: AdmissionPlugin;
  /** Resolves when all existing policies and bindings are known; requests wait until then. */
  readonly synced: Promise<void>;
  /** Resolves when the signal has aborted and all watches have ended. */
  readonly done: Promise<void>;
}

type Dispatch<E> = (hooks: readonly PolicyHook<E>[], request: AdmissionRequest, deps: PolicyDeps) => Promise<void>;

interface InForce {
  readonly run: (request: AdmissionRequest) => Promise<void> | undefined;
  readonly synced: Promise<void>;
  readonly done: Promise<void>;
}

function inForce<E>(
  kind: 'mutatingadmissionpolic' | 'validatingadmissionpolic',
  compile: (policy: KubeObject) => E,
  dispatch: Dispatch<E>,
  { client, catalogue, authorize, signal, onError, observe, conditions, skips = () => false }: PolicyOptions,
): InForce {
  const policies = new Policies(catalogue, compile);
  const one = (resource: string, set: (name: string, object: KubeObject | undefined) => void) =>
    follow(admissionregistration(resource), {
      ...{ client, signal },
      onChange: (name, _, current) => set(name, current?.object),
      onError: error => onError(error, resource),
    });
  const both = [
    one(`${kind}ies`, (name, object) => policies.setPolicy(name, object)),
    one(`${kind}ybindings`, (name, object) => policies.setBinding(name, object)),
  ];
  const synced = Promise.all(both.map(each => each.synced)).then(() => undefined);
  synced.catch(() => undefined); // a rejection that is not awaited would end the process
  const wait = whenSynced(synced);
  const deps = { client, catalogue, authorize, observe, conditions };
  // hot: one lookup for requests without a matching policy.
  const run = (request: AdmissionRequest): Promise<void> | undefined => {
    const waiting = wait(request);
    if (waiting) return waiting.then(() => run(request));
    const hooks = policies.for(request);
    return hooks.length === 0 || skips(request) ? undefined : dispatch(hooks, request, deps);
  };
  return { run, synced, done: Promise.all(both.map(each => each.done)).then(() => undefined) };
}

/** Returns the plugins of both kinds of policies, and starts to watch the policies, their bindings and their parameters until the signal aborts. */
export function admissionPolicies(options: PolicyOptions): PolicyPlugins {
  const mutating = inForce('mutatingadmissionpolic', mutatorOf, dispatchMutatingPolicies, options);
  const validating = inForce('validatingadmissionpolic', validatorOf, dispatchPolicies, options);
  const both = (which: 'synced' | 'done'): Promise<void> =>
    Promise.all([mutating[which], validating[which]]).then(() => undefined);
  const synced = both('synced');
  synced.catch(() => undefined); // a rejection that is not awaited would end the process
  return {
    mutating: { name: mutatingPolicyName, connects: true, mutate: request => mutating.run(request) },
    validating: { name: 'ValidatingAdmissionPolicy', connects: true, validate: request => validating.run(request) },
    synced,
    done: both('done'),
  };
}
