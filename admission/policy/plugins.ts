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

/** Applies the policies of one kind, which it watches with their bindings. */
class PoliciesInForce<E> {
  /** Resolves when the existing policies and bindings are known. */
  readonly synced: Promise<void>;
  /** Resolves when the watches have ended. */
  readonly done: Promise<void>;
  readonly #policies: Policies<E>;
  readonly #wait: ReturnType<typeof whenSynced>;
  readonly #skips: NonNullable<PolicyOptions['skips']>;
  readonly #dispatch: Dispatch<E>;
  readonly #deps: PolicyDeps;

  constructor(
    kind: 'mutatingadmissionpolic' | 'validatingadmissionpolic',
    compile: (policy: KubeObject) => E,
    dispatch: Dispatch<E>,
    options: PolicyOptions,
  ) {
    const { client, catalogue, authorize, observe, conditions, skips = () => false } = options;
    this.#deps = { client, catalogue, authorize, observe, conditions };
    this.#dispatch = dispatch;
    this.#skips = skips;
    const policies = new Policies(catalogue, compile);
    this.#policies = policies;
    const both = [
      watchConfiguration(`${kind}ies`, (name, object) => policies.setPolicy(name, object), options),
      watchConfiguration(`${kind}ybindings`, (name, object) => policies.setBinding(name, object), options),
    ];
    this.synced = Promise.all(both.map(each => each.synced)).then(() => undefined);
    this.synced.catch(() => undefined); // a rejection that is not awaited would end the process
    this.done = Promise.all(both.map(each => each.done)).then(() => undefined);
    this.#wait = whenSynced(this.synced);
  }

  /** hot: one lookup for requests without a matching policy. */
  run(request: AdmissionRequest): Promise<void> | undefined {
    const waiting = this.#wait(request);
    if (waiting) return waiting.then(() => this.run(request));
    const hooks = this.#policies.for(request);
    return hooks.length === 0 || this.#skips(request) ? undefined : this.#dispatch(hooks, request, this.#deps);
  }
}

/** Watches policies or their bindings. `set` is called with each object, and with undefined after its deletion. */
function watchConfiguration(
  resource: string,
  set: (name: string, object: KubeObject | undefined) => void,
  { client, signal, onError }: PolicyOptions,
): ReturnType<typeof follow> {
  return follow(admissionregistration(resource), {
    ...{ client, signal },
    onChange: (name, _, current) => set(name, current?.object),
    onError: error => onError(error, resource),
  });
}

/** Returns the plugins of both kinds of policies, and starts to watch the policies, their bindings and their parameters until the signal aborts. */
export function admissionPolicies(options: PolicyOptions): PolicyPlugins {
  const mutating = new PoliciesInForce('mutatingadmissionpolic', mutatorOf, dispatchMutatingPolicies, options);
  const validating = new PoliciesInForce('validatingadmissionpolic', validatorOf, dispatchPolicies, options);
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
