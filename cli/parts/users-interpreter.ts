import type { ControllerContext } from '../../client/runtime/interface.js';
import { DetachedCalls } from '../../controllers/interpreter/calls/detached-calls.js';
import { customizedInterpreter } from '../../controllers/interpreter/customized/customized.js';
import { watchRules } from '../../controllers/interpreter/customized/watch-rules.js';
import type { Interpreter } from '../../controllers/interpreter/interface.js';
import { ScriptRunner } from '../../controllers/interpreter/lua/runner.js';
import { ScriptCalls } from '../../controllers/interpreter/lua/script-calls.js';
import { WebhookCalls } from '../../controllers/interpreter/webhook/calls.js';
import { watchHooks } from '../../controllers/interpreter/webhook/watch-hooks.js';
import { webhookInterpreter } from '../../controllers/interpreter/webhook/webhook.js';
import type { WebhookCaller } from '../../registry/webhook-caller.js';
import { interpreterTiers } from './interpreter-tiers.js';

interface RunningInterpreter {
  readonly interpreter: Interpreter;
  /** Ends the threads of the scripts. */
  readonly close: () => Promise<void>;
}

/** Starts the interpreter of all kinds, with the customizations and webhooks of users. Resolves when these are known. */
export async function startInterpreter(context: ControllerContext, call: WebhookCaller): Promise<RunningInterpreter> {
  const { signal } = context;
  const scripts = new ScriptRunner();
  const calls = new DetachedCalls(signal);
  const webhooks = new WebhookCalls({ call, calls, signal });
  const [rules, hooks] = await Promise.all([watchRules(context), watchHooks(context, webhooks)]);
  const customized = customizedInterpreter(new ScriptCalls(scripts, calls), rules);
  return {
    interpreter: interpreterTiers(customized, rules, webhookInterpreter(webhooks, hooks)),
    close: () => scripts.close(),
  };
}
