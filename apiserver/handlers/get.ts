import { getOptions } from './options.js';
import { callOf, type Handler, representationOf } from './serve-resource.js';
import { writeAnswer } from './write-object.js';

/** hot: GET of one object, or of one of its subresources. Most answers are complete at once, and wait for no promise. */
export const get: Handler = async (deps, request, route) => {
  const representation = representationOf(request, route);
  const resourceVersion = getOptions(request.query);
  const found = await deps.pipeline.get(callOf(deps, request, route), request.info.name, resourceVersion);
  return writeAnswer(deps, request, representation, 200, found);
};
