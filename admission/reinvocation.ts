/**
 * Reinvocation: if a webhook or policy changes an object that others have already processed, all mutating plugins run once more, and at
 * most once.
 */
// as apiserver/pkg/admission reinvocation.go, plugin/webhook/mutating reinvocationcontext.go
import type { KubeObject } from '../apimachinery/interface.js';
import { cloneJson } from '../lib/json/clone.js';
import type { AdmissionPlugin, AdmissionRequest } from '../registry/admission-plugin.js';
import { type Maybe, andThen } from '../lib/maybe.js';
import { isSameObject } from './same-object.js';

/** The rounds of one plugin in a request. Ids are those of its webhooks or policies. */
export interface Rounds {
  /** Returns 0, then 1. */
  round(): number;
  /** Called at the beginning of a round, to detect changes since the last one. */
  begin(object: KubeObject | undefined): Maybe<void>;
  /** Called at the end of a round that did not fail. */
  end(object: KubeObject | undefined): void;
  /** Reports whether to invoke the id: in the second round only if it was invoked with `IfNeeded` and the object has changed since. */
  isDue(id: string): boolean;
  /** Records the invocation of an id with the reinvocation policy IfNeeded. */
  invoked(id: string): void;
  /** Records a change of the object, which causes a second round. */
  changed(): void;
}

interface State {
  round: number;
  isRequested: boolean;
  readonly plugins: Map<string, Rounds>;
}

const states = new WeakMap<AdmissionRequest, State>();

function stateOf(request: AdmissionRequest): State {
  let state = states.get(request);
  if (!state) {
    state = { round: 0, isRequested: false, plugins: new Map() };
    states.set(request, state);
  }
  return state;
}

function createRounds(state: State, request: AdmissionRequest): Rounds {
  let last: KubeObject | undefined;
  let previous = new Set<string>();
  const due = new Set<string>();
  const markDue = (): void => {
    for (const id of previous) due.add(id);
    previous = new Set();
  };
  return {
    round: () => state.round,
    begin(object) {
      if (state.round === 0 || previous.size === 0) return undefined;
      return andThen(isSameObject(request, last, object), isSame => {
        if (!isSame) markDue();
      });
    },
    end(object) {
      // No third round detects changes, and the second one only for those that are not due anyway.
      if (state.round === 0 && previous.size > 0) last = object && cloneJson(object);
    },
    isDue: id => state.round === 0 || due.has(id),
    invoked: id => void previous.add(id),
    changed() {
      markDue();
      state.isRequested = true;
    },
  };
}

/** Returns the rounds of a plugin in a request. */
export function roundsOf(request: AdmissionRequest, plugin: string): Rounds {
  const state = stateOf(request);
  const known = state.plugins.get(plugin) ?? createRounds(state, request);
  state.plugins.set(plugin, known);
  return known;
}

/** hot: returns a plugin that runs again if a plugin in it has requested a second round. */
export function reinvoking(plugin: AdmissionPlugin): AdmissionPlugin {
  const { mutate } = plugin;
  if (!mutate) return plugin;
  const runAgain = (request: AdmissionRequest): Maybe<void> => {
    const state = states.get(request);
    if (!state?.isRequested) return undefined;
    state.round = 1;
    return mutate(request);
  };
  return {
    ...plugin,
    mutate(request) {
      const waiting = mutate(request);
      return waiting ? waiting.then(() => runAgain(request)) : runAgain(request);
    },
  };
}
