import type { KubeObject } from '../../../openapi/interface.js';
export function podWarnings(_pod: KubeObject, _old: KubeObject | undefined): readonly string[] {
  return [];
}
