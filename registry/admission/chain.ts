import type { AdmissionPlugin, AdmissionRequest } from './interface.js';

type Step = (request: AdmissionRequest) => Promise<void> | void;

/** Plugins one after the other, as one plugin; the first refusal ends it. */
export function chain(plugins: readonly AdmissionPlugin[]): AdmissionPlugin {
  const mutate = inOrder(plugins.map(plugin => plugin.mutate?.bind(plugin)));
  const validate = inOrder(plugins.map(plugin => plugin.validate?.bind(plugin)));
  return {
    name: plugins.map(plugin => plugin.name).join(','),
    ...(mutate && { mutate }),
    ...(validate && { validate }),
  };
}

/** hot: only what is asynchronous is waited for. */
function inOrder(all: readonly (Step | undefined)[]): ((request: AdmissionRequest) => Promise<void>) | undefined {
  const steps = all.filter(step => step !== undefined);
  if (steps.length === 0) return undefined;
  return async request => {
    for (const step of steps) {
      const waiting = step(request);
      if (waiting) await waiting;
    }
  };
}
