import { maxBody } from './max-body.js';
import { bodyFormat } from './decode.js';
import { writeOptions } from './options.js';
import { objectIn } from './read-object.js';
import { readYamlBody } from './yaml-body.js';
import type { Request } from '../http/request.js';
import type { Route } from './route.js';
import { callOf, type Handler, type HandlerDeps, representationOf } from './serve-resource.js';
import { writeAnswer } from './write-object.js';

/** Milliseconds after which all servers over a store serve a new kind. */
const settlingMs = 2000;

/**
 * Reports whether the kind is so new that other servers over the same store may not serve it yet. A client that has created an object must
 * find it on each of them. differs: without other servers no request waits.
 */
// as apiextensions-apiserver/pkg/apiserver/customresource_handler.go serveResource
function isSettling(deps: HandlerDeps, { definition, part }: Route): boolean {
  if (!deps.hasPeers || part !== undefined || !definition.establishedAt) return false;
  return deps.now().getTime() - definition.establishedAt() < settlingMs;
}

/** Resolves after `settlingMs`, or when the request is aborted. */
const untilSettled = ({ signal }: Request): Promise<void> =>
  new Promise(resolve => {
    const timer = setTimeout(resolve, settlingMs);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Handles the POST of an object, a review, or an action on an object. */
export const create: Handler = async (deps, request, route) => {
  if (isSettling(deps, route)) await untilSettled(request);
  const representation = representationOf(request, route);
  const format = bodyFormat(request);
  const bytes = request.arrivedBody ?? (await request.body(maxBody));
  const options = writeOptions('CreateOptions', request.query, request.header('user-agent'));
  const body = format === 'yaml' ? await readYamlBody(deps.offload, request, bytes) : { format, bytes };
  const reading = objectIn(request, route, body, options.fieldValidation);
  const { object, floats } = reading instanceof Promise ? await reading : reading;
  request.dryRun = options.dryRun;
  const call = callOf(deps, request, route, options.fieldManager, bytes.length);
  const write = { dryRun: options.dryRun, options: options.object, floats };
  const created = await deps.pipeline.create(call, object, write, request.info.name);
  await writeAnswer(deps, request, representation, 201, created);
};
