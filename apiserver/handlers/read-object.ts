import { nativeSchemaFor } from '../../openapi/facts/load.js';
import { apiVersionOf } from '../../openapi/meta/gvk.js';
import type { KubeObject } from '../../openapi/interface.js';
import type { Schema } from '../../openapi/schema/interface.js';
import type { FieldValidation } from '../../registry/pipeline/interface.js';
import type { Request } from '../http/request.js';
import { bodyFormat, decodeObject, type Expected, maxBody, refuseStrict, warnStrict } from './decode.js';
import { isCustom, type Route } from './route.js';

const scale = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
const anything: Schema = {};

const expectations = new WeakMap<Route, Expected>();

/** What the endpoint takes: the kind of the resource, or that of one of its parts. */
function expectedOf(route: Route): Expected {
  const known = expectations.get(route);
  if (known) return known;
  const { definition, part, version } = route;
  const other = part?.type === 'scale' ? scale : part?.type === 'action' ? part.kind : undefined;
  const made: Expected = {
    apiVersion: other ? apiVersionOf(other) : route.apiVersion,
    kind: other?.kind ?? definition.kind,
    group: other?.group ?? definition.group,
    schema: other ? (nativeSchemaFor(other) ?? anything) : version.schema,
    custom: !other && isCustom(definition),
  };
  expectations.set(route, made);
  return made;
}

/** Reads the object that a POST or PUT carries, and judges its fields (OBJ-120). */
export async function readObject(request: Request, route: Route, validation: FieldValidation): Promise<KubeObject> {
  const format = bodyFormat(request);
  const bytes = await request.exchange.body(maxBody);
  const expected = expectedOf(route);
  const { object, faults } = decodeObject(bytes, format, expected);
  if (faults.length > 0 && validation === 'Strict') throw refuseStrict(object, expected, faults);
  if (faults.length > 0 && validation === 'Warn') warnStrict(request, faults);
  return object;
}
