import type { KubeObject } from '../../apimachinery/interface.js';
import { labels } from '../../api/karmada/well-known.js';

/** Returns the text of the refusal when an object must not be deleted. as pkg/webhook/resourcedeletionprotection */
export function deletionRefusal({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[labels.deletionProtected] === 'Always'
    ? `This resource is protected, please make sure to remove the label: ${labels.deletionProtected}`
    : undefined;
}
