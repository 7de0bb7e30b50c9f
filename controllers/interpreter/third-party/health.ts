import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Health } from '../../../api/karmada/types.js';

/** Returns a function for the health of objects that are healthy or not. */
export const healthyIf =
  (isHealthy: (object: KubeObject) => boolean) =>
  (object: KubeObject): Health =>
    isHealthy(object) ? 'Healthy' : 'Unhealthy';
