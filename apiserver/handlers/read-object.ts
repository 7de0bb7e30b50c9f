import { nativeSchemaFor } from '../../openapi/facts/load.js';
import { apiVersionOf } from '../../apimachinery/meta/gvk.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { atOnce, inTimeSlices, type InSteps } from '../../lib/time-slice.js';
import type { Maybe } from '../../lib/maybe.js';
import type { Floats } from '../../apimachinery/codec/floats.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import type { FieldValidation } from '../../registry/pipeline/interface.js';
import { pauseOf } from '../../registry/pipeline/pause.js';
import type { Request } from '../http/request.js';
import { type Body, decodeObject, type Expected, refuseStrict, warnStrict } from './decode.js';
import { isCustom, type Route } from './route.js';

const scale = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
const anything: Schema = {};

// as pkg/registry/core/pod/storage/eviction.go AcceptsGroupVersion
const also: Readonly<Record<string, string>> = { Eviction: 'policy/v1beta1' };

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
    ...(other && also[other.kind] !== undefined && { also: also[other.kind] }),
  };
  expectations.set(route, made);
  return made;
}

/** The object of a body, and where whole numbers of it are floats. */
export interface ReadObject {
  readonly object: KubeObject;
  readonly floats?: Floats;
}

/** The object in the body of a POST or PUT, its fields judged. Others have their turn while a large one is read. */
export function objectIn(request: Request, route: Route, body: Body, validation: FieldValidation): Maybe<ReadObject> {
  const steps = readSteps(request, route, body, validation);
  const pause = pauseOf({ bodyBytes: body.bytes.length });
  return pause ? pause().then(() => inTimeSlices(steps)) : atOnce(steps);
}

function* readSteps(request: Request, route: Route, body: Body, validation: FieldValidation): InSteps<ReadObject> {
  const expected = expectedOf(route);
  const { object, faults, floats } = yield* decodeObject(body, expected);
  if (faults.length > 0 && validation === 'Strict') throw refuseStrict(object, expected, faults);
  if (faults.length > 0 && validation === 'Warn') warnStrict(request, faults);
  request.audit?.requestObject(object);
  return { object, ...(floats && { floats }) };
}
