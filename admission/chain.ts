import type { ResourceDefinition } from '../registry/interface.js';
import type { AdmissionPlugin, AdmissionRequest } from '../registry/admission-plugin.js';
import type { ObserveAdmission, ObserveStep } from './observe.js';
import type { Maybe } from '../lib/maybe.js';

type Run = (request: AdmissionRequest) => Maybe<void>;
type Phase = 'mutate' | 'validate';

interface Step {
  readonly run: Run;
  /** Metrics of the step; undefined for none. */
  readonly observe: ObserveStep | undefined;
}

const typeOf = { mutate: 'admit', validate: 'validate' } as const;

/** Returns one plugin that runs all plugins in order, up to the first refusal. `observe` records how long each of them takes. */
export function chain(plugins: readonly AdmissionPlugin[], observe?: ObserveAdmission): AdmissionPlugin {
  const mutate = inOrder(plugins, 'mutate', observe);
  const validate = inOrder(plugins, 'validate', observe);
  return {
    name: plugins.map(plugin => plugin.name).join(','),
    connects: plugins.some(({ connects }) => connects),
    ...(mutate && { mutate }),
    ...(validate && { validate }),
  };
}

/** hot: runs only the plugins for the kind, and awaits only what is asynchronous. */
function inOrder(
  plugins: readonly AdmissionPlugin[],
  phase: Phase,
  observe: ObserveAdmission | undefined,
): Run | undefined {
  const all = plugins
    .filter(plugin => plugin[phase] !== undefined)
    .map(plugin => ({ plugin, observe: observe?.plugin(plugin.name, typeOf[phase]) }));
  if (all.length === 0) return undefined;
  const writeSteps = steps(all, phase);
  const connectSteps = steps(
    all.filter(({ plugin }) => plugin.connects),
    phase,
  );

  return request => {
    const { definition, operation } = request;
    const selected = operation === 'CONNECT' ? connectSteps(definition) : writeSteps(definition);
    return observe ? runObserved(selected, request, 0, performance.now()) : runUnobserved(selected, request, 0);
  };
}

/** Runs the steps from index `from`. */
function runUnobserved(all: readonly Step[], request: AdmissionRequest, from: number): Maybe<void> {
  for (let i = from; i < all.length; i++) {
    const waiting = all[i]?.run(request);
    if (waiting) return waiting.then(() => runUnobserved(all, request, i + 1));
  }
}

/** Runs the steps from index `from` and records their durations. The end of one is the start of the next: one clock read per step. */
function runObserved(all: readonly Step[], request: AdmissionRequest, from: number, since: number): Maybe<void> {
  let began = since;
  let i = from;
  const end = (rejected: boolean): number => {
    const now = performance.now();
    all[i]?.observe?.(request.operation, (now - began) / 1000, rejected);
    return now;
  };
  const failed = (error: unknown): never => {
    end(true);
    throw error;
  };
  for (; i < all.length; i++) {
    let waiting: Maybe<void>;
    try {
      waiting = all[i]?.run(request);
    } catch (error) {
      return failed(error);
    }
    if (waiting) return waiting.then(() => runObserved(all, request, i + 1, end(false)), failed);
    began = end(false);
  }
}

interface ObservedPlugin extends Pick<Step, 'observe'> {
  readonly plugin: AdmissionPlugin;
}

/** Returns a function to the steps of the plugins for a kind, which are found once per kind. */
// differs: a plugin that does not apply to a kind is not called for it, and not counted in the metrics
function steps(plugins: readonly ObservedPlugin[], phase: Phase): (definition: ResourceDefinition) => readonly Step[] {
  const known = new WeakMap<ResourceDefinition, readonly Step[]>();
  return definition => {
    const found = known.get(definition);
    if (found) return found;
    const { group, plural } = definition;
    const resource = group === '' ? plural : `${plural}.${group}`;
    const made = plugins
      .filter(({ plugin }) => plugin.resources?.includes(resource) ?? true)
      .flatMap(({ plugin, observe }): Step[] => {
        const run = plugin[phase]?.bind(plugin);
        return run ? [{ run, observe }] : [];
      });
    known.set(definition, made);
    return made;
  };
}

/** Returns the plugins with metrics of their total duration; each run of a reinvocation is recorded, too. */
export function timed(plugins: AdmissionPlugin, observe: ObserveAdmission): AdmissionPlugin {
  const observedPhase = (phase: Phase): Partial<AdmissionPlugin> => {
    const run = plugins[phase]?.bind(plugins);
    if (!run) return {};
    const all: readonly Step[] = [{ run, observe: observe.step(typeOf[phase]) }];
    return { [phase]: (request: AdmissionRequest) => runObserved(all, request, 0, performance.now()) };
  };
  return { ...plugins, ...observedPhase('mutate'), ...observedPhase('validate') };
}
