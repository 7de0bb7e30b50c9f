import { bodyFormat, maxBody } from './decode.js';
import { writeOptions } from './options.js';
import { objectIn } from './read-object.js';
import { callOf, type Handler, representationOf } from './serve-resource.js';
import { writeAnswer } from './write-object.js';

/** POST of an object, a review, or an action on an object. */
export const create: Handler = async (deps, request, route) => {
  const representation = representationOf(request, route);
  const format = bodyFormat(request);
  const bytes = await request.exchange.body(maxBody);
  const options = writeOptions('CreateOptions', request.query, request.header('user-agent'));
  const { object, floats } = objectIn(request, route, bytes, format, options.fieldValidation);
  request.dryRun = options.dryRun;
  const call = callOf(deps, request, route, options.fieldManager);
  const write = { dryRun: options.dryRun, options: options.object, floats };
  const created = await deps.pipeline.create(call, object, write, request.info.name);
  await writeAnswer(deps, request, route, representation, 201, created);
};
