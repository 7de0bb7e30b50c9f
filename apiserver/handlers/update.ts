import { maxBody } from './max-body.js';
import { bodyFormat } from './decode.js';
import { writeOptions } from './options.js';
import { objectIn } from './read-object.js';
import { callOf, type Handler, representationOf } from './serve-resource.js';
import { writeAnswer } from './write-object.js';
import { readYamlBody } from './yaml-body.js';

/** Handles the PUT of an object, or of one of its subresources. */
export const update: Handler = async (deps, request, route) => {
  const representation = representationOf(request, route);
  const bytes = request.arrivedBody ?? (await request.body(maxBody));
  const options = writeOptions('UpdateOptions', request.query, request.header('user-agent'));
  const format = bodyFormat(request);
  const body = format === 'yaml' ? await readYamlBody(deps.offload, request, bytes) : { format, bytes };
  const reading = objectIn(request, route, body, options.fieldValidation);
  const { object, floats } = reading instanceof Promise ? await reading : reading;
  request.dryRun = options.dryRun;
  const call = callOf(deps, request, route, options.fieldManager, bytes.length);
  const write = { dryRun: options.dryRun, options: options.object, floats };
  const { answer, created } = await deps.pipeline.update(call, request.info.name, object, write);
  await writeAnswer(deps, request, representation, created ? 201 : 200, answer);
};
