import type { KubeObject } from '../../openapi/interface.js';
import type { FieldValidation } from '../../registry/pipeline/interface.js';
import type { Request } from '../http/request.js';
import {
  bodyFormat,
  cannotHandle,
  decodeBody,
  type Expected,
  expectedOf,
  maxBody,
  typed,
  warnStrict,
} from './decode.js';
import type { Route } from './route.js';
import type { HandlerDeps } from './serve-resource.js';

/** What the endpoint takes: the kind of the resource, or that of one of its parts. */
function expected(route: Route): Expected {
  const { part } = route;
  if (part?.type === 'scale')
    return { apiVersion: 'autoscaling/v1', kind: 'Scale', group: 'autoscaling', custom: false };
  if (part?.type !== 'action') return expectedOf(route);
  const { group, version, kind } = part.kind;
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind, group, custom: false };
}

/** Reads the object that a POST or PUT carries, and judges its fields (OBJ-120). */
export async function readObject(
  _deps: HandlerDeps,
  request: Request,
  route: Route,
  validation: FieldValidation,
): Promise<KubeObject> {
  const format = bodyFormat(request);
  const bytes = await request.exchange.body(maxBody);
  const wanted = expected(route);
  const { value, strict } = decodeBody(bytes, format, wanted, validation);
  const object = typed(value, wanted);
  object.metadata ??= {};
  if (strict.length > 0) {
    if (validation === 'Strict') throw cannotHandle(object, wanted, `strict decoding error: ${strict.join(', ')}`);
    warnStrict(request, strict);
  }
  return object;
}
