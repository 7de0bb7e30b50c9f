import type { ControllerContext } from '../../../client/runtime/interface.js';
import { resources } from '../../../api/karmada/well-known.js';
import { mergeRules, type Rules } from './rules.js';

/**
 * Follows the ResourceInterpreterCustomizations. Resolves when the existing ones are known, with a function that returns the present rules: a change
 * counts for what is interpreted afterwards. as pkg/resourceinterpreter customResourceInterpreterImpl.Start
 */
export async function watchRules(context: Pick<ControllerContext, 'informers'>): Promise<() => Rules> {
  const customizations = context.informers.informer(resources.interpreterCustomizations);
  let rules: Rules | undefined;
  customizations.onChange(() => {
    rules = undefined;
  });
  await customizations.synced;
  return () => (rules ??= mergeRules(customizations.list()));
}
