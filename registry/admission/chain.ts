import type { ResourceDefinition } from '../interface.js';
import type { AdmissionPlugin, AdmissionRequest } from './interface.js';

type Step = (request: AdmissionRequest) => Promise<void> | void;
type Phase = 'mutate' | 'validate';

/** Plugins one after the other, as one plugin; the first refusal ends it. */
export function chain(plugins: readonly AdmissionPlugin[]): AdmissionPlugin {
  const mutate = inOrder(plugins, 'mutate');
  const validate = inOrder(plugins, 'validate');
  return {
    name: plugins.map(plugin => plugin.name).join(','),
    connects: plugins.some(({ connects }) => connects),
    ...(mutate && { mutate }),
    ...(validate && { validate }),
  };
}

/** hot: only the plugins that look at the kind are asked, and only what is asynchronous is waited for. */
function inOrder(plugins: readonly AdmissionPlugin[], phase: Phase): Step | undefined {
  const all = plugins.filter(plugin => plugin[phase] !== undefined);
  if (all.length === 0) return undefined;
  const ofWrites = steps(all, phase);
  const ofConnects = steps(
    all.filter(({ connects }) => connects),
    phase,
  );

  return request => {
    const { definition, operation } = request;
    return take(operation === 'CONNECT' ? ofConnects(definition) : ofWrites(definition), request, 0);
  };
}

/** The steps from one on. */
function take(all: readonly Step[], request: AdmissionRequest, from: number): Promise<void> | void {
  for (let i = from; i < all.length; i++) {
    const waiting = all[i]?.(request);
    if (waiting) return waiting.then(() => take(all, request, i + 1));
  }
}

/** Of the plugins that look at a kind; found once. */
function steps(plugins: readonly AdmissionPlugin[], phase: Phase): (definition: ResourceDefinition) => readonly Step[] {
  const known = new WeakMap<ResourceDefinition, readonly Step[]>();
  return definition => {
    const found = known.get(definition);
    if (found) return found;
    const { group, plural } = definition;
    const resource = group === '' ? plural : `${plural}.${group}`;
    const made = plugins
      .filter(({ resources }) => resources?.includes(resource) ?? true)
      .map(plugin => plugin[phase]?.bind(plugin))
      .filter(step => step !== undefined);
    known.set(definition, made);
    return made;
  };
}
