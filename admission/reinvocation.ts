/**
 * When a webhook or policy has changed an object, one that changed it before may want to see it again: then all that change objects
 * run once more, and no more than that.
 */
// as apiserver/pkg/admission reinvocation.go, plugin/webhook/mutating reinvocationcontext.go
import type { KubeObject } from '../apimachinery/interface.js';
import { cloneJson } from '../lib/json/clone.js';
import { semanticEqual } from '../lib/json/equality.js';
import type { AdmissionPlugin, AdmissionRequest } from '../registry/admission-plugin.js';

/** What a plugin has asked in the first round, by ids of its own. */
export interface Rounds {
  /** 0, then 1. */
  round(): number;
  /** At the begin of a turn: has anything changed since the last one? */
  begin(object: KubeObject | undefined): void;
  /** At its end. */
  end(object: KubeObject | undefined): void;
  /** In the second round only those are asked that were before, want it, and have something new to see. */
  isDue(id: string): boolean;
  /** Who has been asked, and would be again. */
  asked(id: string): void;
  /** The object was changed: there is a second round. */
  changed(): void;
}

interface State {
  round: number;
  wanted: boolean;
  readonly plugins: Map<string, Rounds>;
}

const states = new WeakMap<AdmissionRequest, State>();

function stateOf(request: AdmissionRequest): State {
  let state = states.get(request);
  if (!state) {
    state = { round: 0, wanted: false, plugins: new Map() };
    states.set(request, state);
  }
  return state;
}

function createRounds(state: State): Rounds {
  let last: KubeObject | undefined;
  let previous = new Set<string>();
  const due = new Set<string>();
  const require = (): void => {
    for (const id of previous) due.add(id);
    previous = new Set();
  };
  return {
    round: () => state.round,
    begin(object) {
      if (state.round > 0 && !semanticEqual(last, object)) require();
    },
    end(object) {
      last = object && cloneJson(object);
    },
    isDue: id => state.round === 0 || due.has(id),
    asked: id => void previous.add(id),
    changed() {
      require();
      state.wanted = true;
    },
  };
}

/** Of a plugin in a request. */
export function roundsOf(request: AdmissionRequest, plugin: string): Rounds {
  const state = stateOf(request);
  const known = state.plugins.get(plugin) ?? createRounds(state);
  state.plugins.set(plugin, known);
  return known;
}

/** hot: a chain of plugins that runs again when one of them asks for it. */
export function reinvoking(plugin: AdmissionPlugin): AdmissionPlugin {
  const { mutate } = plugin;
  if (!mutate) return plugin;
  const again = (request: AdmissionRequest): Promise<void> | void => {
    const state = states.get(request);
    if (!state?.wanted) return undefined;
    state.round = 1;
    return mutate(request);
  };
  return {
    ...plugin,
    mutate(request) {
      const waiting = mutate(request);
      return waiting ? waiting.then(() => again(request)) : again(request);
    },
  };
}
