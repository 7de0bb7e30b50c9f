import { isSelected, mightSelect } from '../../kinds/karmada/resource-selector.js';
import type { ResourceSelector } from '../../api/karmada/types.js';
import { labels } from '../../api/karmada/well-known.js';
import { yieldToEventLoop } from '../../lib/time-slice.js';
import { claimedBy } from './claim.js';
import { templateKey, type TemplateKey, type Templates } from './templates.js';

/** Returns the keys of selected templates without a claim. Parses only unclaimed templates whose kind, namespace and name may match. */
export async function waitingFor(
  selectors: readonly ResourceSelector[],
  templates: Templates,
): Promise<readonly TemplateKey[]> {
  const found = new Set<TemplateKey>();
  for (const selector of selectors) {
    for (const at of templates.unclaimed(selector)) {
      const pause = yieldToEventLoop();
      if (pause) await pause;
      if (!mightSelect(selector, at)) continue;
      const key = templateKey(at);
      const template = templates.get(key);
      if (!template || template.metadata.deletionTimestamp || !isSelected(template, [selector])) continue;
      if (!claimedBy(template) && !template.metadata.labels?.[labels.claimedBy]) found.add(key);
    }
  }
  return [...found];
}
