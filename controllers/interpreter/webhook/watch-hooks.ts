import { resources } from '../../../api/karmada/well-known.js';
import type { ControllerContext } from '../../../client/runtime/interface.js';
import type { WebhookCalls } from './calls.js';
import { Hooks } from './hooks.js';

/**
 * Follows the ResourceInterpreterWebhookConfigurations. Resolves when the existing ones are known, with a function that returns the present webhooks:
 * a change counts for what is interpreted afterwards, and ends the calls of the configuration.
 * as pkg/resourceinterpreter/customized/webhook/configmanager
 */
export async function watchHooks(
  context: Pick<ControllerContext, 'informers'>,
  calls: Pick<WebhookCalls, 'end'>,
): Promise<() => Hooks> {
  const configurations = context.informers.informer(resources.interpreterWebhookConfigurations);
  let hooks: Hooks | undefined;
  configurations.onChange(({ key }) => {
    hooks = undefined;
    calls.end(key);
  });
  await configurations.synced;
  return () => (hooks ??= new Hooks(configurations.list()));
}
