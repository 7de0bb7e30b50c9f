import type { KubeObject } from '../../apimachinery/interface.js';
import { methodNotAllowed } from '../../apimachinery/errors/status.js';
import { subresourceOf } from '../subresources.js';
import { settleNamespace } from './conform.js';
import { type PipelineDeps, actionCall } from './context.js';
import { admit, mutate } from './finish.js';
import { inOrderSteps } from './in-order.js';
import type { ObjectAnswer, RequestScope, WriteParameters } from './interface.js';
import { stepsOf } from './pause.js';

/** Handles a POST to an action subresource. The caller must not use `body` afterwards. Throws 405 for other subresources. */
export async function act(
  deps: PipelineDeps,
  call: RequestScope,
  name: string,
  body: KubeObject,
  write: WriteParameters,
): Promise<ObjectAnswer> {
  const subresource = subresourceOf(call);
  if (subresource?.type !== 'action') throw methodNotAllowed();
  settleNamespace(call, body.metadata);
  const target = { name, object: body, old: undefined };
  await mutate(deps, call, target, write);
  await admit(deps, call, target, write);
  const answer = await subresource.act(actionCall(deps, call, write), name, body);
  return { object: await stepsOf(call, inOrderSteps(answer)) };
}
