import type { AdmissionDeps, AdmissionPlugin } from './interface.js';
import { namespaceLifecycle } from './namespace-lifecycle.js';

/** The plugins that are on in a server started as Karmada's is, in upstream's order (SEC-050). */
// as pkg/kubeapiserver/options AllOrderedPlugins
export function builtInPlugins(deps: AdmissionDeps): readonly AdmissionPlugin[] {
  return [namespaceLifecycle(deps)];
}
