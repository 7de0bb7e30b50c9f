import type { ResourceDefinition } from '../registry/interface.js';
import type { AdmissionPlugin, AdmissionRequest } from '../registry/admission-plugin.js';
import type { ObserveAdmission, ObserveStep } from './observe.js';

type Run = (request: AdmissionRequest) => Promise<void> | void;
type Phase = 'mutate' | 'validate';

interface Step {
  readonly run: Run;
  /** Undefined: nobody counts. */
  readonly observe: ObserveStep | undefined;
}

const typeOf = { mutate: 'admit', validate: 'validate' } as const;

/** Plugins one after the other, as one plugin; the first refusal ends it. `observe`: is told how long each of them takes. */
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

/** hot: only the plugins that look at the kind are asked, and only what is asynchronous is waited for. */
function inOrder(
  plugins: readonly AdmissionPlugin[],
  phase: Phase,
  observe: ObserveAdmission | undefined,
): Run | undefined {
  const all = plugins
    .filter(plugin => plugin[phase] !== undefined)
    .map(plugin => ({ plugin, observe: observe?.plugin(plugin.name, typeOf[phase]) }));
  if (all.length === 0) return undefined;
  const ofWrites = steps(all, phase);
  const ofConnects = steps(
    all.filter(({ plugin }) => plugin.connects),
    phase,
  );

  return request => {
    const { definition, operation } = request;
    const mine = operation === 'CONNECT' ? ofConnects(definition) : ofWrites(definition);
    return observe ? take(mine, request, 0, performance.now()) : takeUnseen(mine, request, 0);
  };
}

/** The steps from one on. */
function takeUnseen(all: readonly Step[], request: AdmissionRequest, from: number): Promise<void> | void {
  for (let i = from; i < all.length; i++) {
    const waiting = all[i]?.run(request);
    if (waiting) return waiting.then(() => takeUnseen(all, request, i + 1));
  }
}

/** The same, with how long each took: where one ends the next begins, so the clock is read once for each. */
function take(all: readonly Step[], request: AdmissionRequest, from: number, since: number): Promise<void> | void {
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
    let waiting: Promise<void> | void;
    try {
      waiting = all[i]?.run(request);
    } catch (error) {
      return failed(error);
    }
    if (waiting) return waiting.then(() => take(all, request, i + 1, end(false)), failed);
    began = end(false);
  }
}

interface Watched extends Pick<Step, 'observe'> {
  readonly plugin: AdmissionPlugin;
}

/** Of the plugins that look at a kind; found once. */
// differs: a plugin that never looks at a kind is not asked about it, and not counted
function steps(plugins: readonly Watched[], phase: Phase): (definition: ResourceDefinition) => readonly Step[] {
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

/** Told how long all plugins together take, again and again if they are. */
export function timed(plugins: AdmissionPlugin, observe: ObserveAdmission): AdmissionPlugin {
  const whole = (phase: Phase): Partial<AdmissionPlugin> => {
    const run = plugins[phase]?.bind(plugins);
    if (!run) return {};
    const all: readonly Step[] = [{ run, observe: observe.step(typeOf[phase]) }];
    return { [phase]: (request: AdmissionRequest) => take(all, request, 0, performance.now()) };
  };
  return { ...plugins, ...whole('mutate'), ...whole('validate') };
}
