import { writeOptions } from './options.js';
import { readObject } from './read-object.js';
import { callOf, type Handler, representationOf } from './serve-resource.js';
import { writeAnswer } from './write-object.js';

/** POST of an object, a review, or an action on an object. */
export const create: Handler = async (deps, request, route) => {
  const representation = representationOf(request, route);
  const options = writeOptions('CreateOptions', request.query, request.header('user-agent'));
  const object = await readObject(request, route, options.fieldValidation);
  request.audit?.requestObject(object);
  request.dryRun = options.dryRun;
  const call = callOf(deps, request, route, options.fieldManager);
  const write = { dryRun: options.dryRun, options: options.object };
  const created = await deps.pipeline.create(call, object, write, request.info.name);
  await writeAnswer(deps, request, route, representation, 201, created);
};
