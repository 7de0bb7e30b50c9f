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
    ...(mutate && { mutate }),
    ...(validate && { validate }),
  };
}

/** hot: only the plugins that look at the kind are asked, and only what is asynchronous is waited for. */
function inOrder(
  plugins: readonly AdmissionPlugin[],
  phase: Phase,
): ((request: AdmissionRequest) => Promise<void>) | undefined {
  const all = plugins.filter(plugin => plugin[phase] !== undefined);
  if (all.length === 0) return undefined;
  const known = new WeakMap<ResourceDefinition, readonly Step[]>();

  function stepsFor(definition: ResourceDefinition): readonly Step[] {
    const { group, plural } = definition;
    const resource = group === '' ? plural : `${plural}.${group}`;
    const steps = all
      .filter(({ resources }) => resources?.includes(resource) ?? true)
      .map(plugin => plugin[phase]?.bind(plugin))
      .filter(step => step !== undefined);
    known.set(definition, steps);
    return steps;
  }

  return async request => {
    for (const step of known.get(request.definition) ?? stepsFor(request.definition)) {
      const waiting = step(request);
      if (waiting) await waiting;
    }
  };
}
