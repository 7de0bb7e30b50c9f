import type { KubeObject } from '../../apimachinery/interface.js';
import { methodNotAllowed } from '../../apimachinery/errors/status.js';
import { subresourceOf } from '../subresources.js';
import { settleNamespace } from './conform.js';
import { type Parts, actionCall } from './context.js';
import { admit, mutate } from './finish.js';
import { inOrder } from './in-order.js';
import type { Answer, RequestScope, WriteParameters } from './interface.js';

/** A POST to a subresource that does something of its own, names in the body included. `body` belongs to the pipeline from now on. */
export async function act(
  parts: Parts,
  call: RequestScope,
  name: string,
  body: KubeObject,
  write: WriteParameters,
): Promise<Answer> {
  const subresource = subresourceOf(call);
  if (subresource?.type !== 'action') throw methodNotAllowed();
  settleNamespace(call, body.metadata);
  await mutate(parts, call, body, undefined, name, write);
  await admit(parts, call, body, undefined, name, write);
  return { object: inOrder(await subresource.act(actionCall(parts, call, write), name, body)) };
}
