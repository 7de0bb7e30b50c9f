import type { KubeObject } from '../../../openapi/interface.js';
import { labels } from './well-known.js';

/** The text of the refusal when an object must not be deleted (inventory ADM-23). */
export function deletionRefusal({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[labels.deletionProtected] === 'Always'
    ? `This resource is protected, please make sure to remove the label: ${labels.deletionProtected}`
    : undefined;
}
