import type { KubeObject } from '../../openapi/interface.js';
import { methodNotAllowed } from '../../openapi/meta/status.js';
import type { ActionCall } from '../interface.js';
import { settleNamespace } from './conform.js';
import type { Parts } from './context.js';
import { admit, mutate } from './finish.js';
import type { Answer, Call, WriteParameters } from './interface.js';

export function actionCall(parts: Parts, call: Call, { dryRun }: WriteParameters): ActionCall {
  return {
    user: call.user,
    namespace: call.namespace,
    dryRun,
    client: parts.clientFor(call.user),
    warn: text => call.warn(text),
  };
}

/** A POST to a subresource that does something of its own, names in the body included. `body` belongs to the pipeline from now on. */
export async function act(
  parts: Parts,
  call: Call,
  name: string,
  body: KubeObject,
  write: WriteParameters,
): Promise<Answer> {
  const subresource = call.definition.subresources[call.subresource];
  if (subresource?.type !== 'action') throw methodNotAllowed();
  settleNamespace(call, body.metadata);
  await mutate(parts, call, body, undefined, name, write);
  await admit(parts, call, body, undefined, name, write);
  return { object: await subresource.act(actionCall(parts, call, write), name, body) };
}
