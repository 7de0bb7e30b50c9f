import { isSelected } from '../../kinds/karmada/resource-selector.js';
import type { ResourceSelector } from '../../api/karmada/types.js';
import { labels } from '../../api/karmada/well-known.js';
import { WalkPauses } from '../../lib/time-slice.js';
import { claimedBy } from './claim.js';
import { templateKey, type TemplateKey, type Templates } from './templates.js';

/**
 * Yields the keys of selected templates without a claim; a template that several selectors select may come several times. Parses only unclaimed
 * templates whose kind, namespace and name match. The mirrors may change meanwhile.
 */
export async function* waitingFor(
  selectors: readonly ResourceSelector[],
  templates: Templates,
): AsyncGenerator<TemplateKey, void> {
  const pauses = new WalkPauses();
  for (const selector of selectors) {
    for (const at of templates.unclaimed(selector)) {
      const pause = pauses.next();
      if (pause) await pause;
      const key = templateKey(at);
      const template = templates.get(key);
      if (!template || template.metadata.deletionTimestamp || !isSelected(template, [selector])) continue;
      if (!claimedBy(template) && !template.metadata.labels?.[labels.claimedBy]) yield key;
    }
  }
}
