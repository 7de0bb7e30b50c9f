/** The steps that all writes of an object share: mutating admission before, rules and validating admission after it. */
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Maybe } from '../../lib/maybe.js';
import type { WriteParameters, RequestScope } from './interface.js';
import { dedupOwners, ownersAfterAdmissionWarning } from '../strategy/owners.js';
import { conformNew, settleNamespace } from './conform.js';
import { type Parts, admissionRequest, strategyContext } from './context.js';
import { formatTime } from '../../lib/go/time.js';
import { pauseOf } from './pause.js';
import type { Reservation } from './reservation.js';
import { uuid } from '../../lib/random.js';
import type { AdmissionRequest } from '../admission-plugin.js';

/** Lets admission change the draft, in place. The parameters as they are after that: floats may be ints, and ints floats. */
export function mutate(
  parts: Parts,
  call: RequestScope,
  draft: KubeObject | undefined,
  old: KubeObject | undefined,
  name: string,
  write: WriteParameters,
): Maybe<WriteParameters> {
  if (!parts.admission.mutate) return write;
  const request = admissionRequest(call, write, operationOf(draft, old), name, draft, old);
  const waiting = parts.admission.mutate(request);
  return waiting ? waiting.then(() => mutated(call, request, write)) : mutated(call, request, write);
}

function mutated(call: RequestScope, { object, floats }: AdmissionRequest, write: WriteParameters): WriteParameters {
  const twice = object ? dedupOwners(object) : '';
  if (twice !== '') call.warn(ownersAfterAdmissionWarning(twice));
  return floats ? { ...write, floats } : write;
}

function operationOf(object: KubeObject | undefined, old: KubeObject | undefined): AdmissionRequest['operation'] {
  if (!object) return 'DELETE';
  return old ? 'UPDATE' : 'CREATE';
}

/** Lets admission judge who wants to reach what an object stands for; `options`: what was asked for, in place changed. */
// as apiserver/pkg/endpoints/handlers ConnectResource
export async function admitConnect(
  { admission }: Parts,
  call: RequestScope,
  name: string,
  options: KubeObject,
): Promise<void> {
  const write = { dryRun: false, options: {} };
  await admission.mutate?.(admissionRequest(call, write, 'CONNECT', name, options, undefined));
  await admission.validate?.(admissionRequest(call, write, 'CONNECT', name, options, undefined));
}

/** Validating admission over what would be stored. */
export function admit(
  parts: Parts,
  call: RequestScope,
  object: KubeObject | undefined,
  old: KubeObject | undefined,
  name: string,
  write: WriteParameters,
): Promise<void> | void {
  if (!parts.admission.validate) return undefined;
  const operation = operationOf(object, old);
  return parts.admission.validate(admissionRequest(call, write, operation, name, object, old));
}

/**
 * A new object on its last steps: system metadata, the rules of the kind, validating admission. `name`: the one that was asked for,
 * '' when it has been generated.
 */
export function finishNew(
  parts: Parts,
  call: RequestScope,
  draft: KubeObject,
  name: string,
  write: WriteParameters,
  taken: Reservation | undefined,
  permitted?: () => Promise<void>,
): Promise<void> | void {
  draft.metadata.creationTimestamp = formatTime(parts.now());
  draft.metadata.uid = uuid(parts.random);
  const judge = (): Promise<void> | void => {
    // Admission may have moved it.
    settleNamespace(call, draft.metadata);
    const conforming = conformNew(call.definition, draft, strategyContext(parts, call, 'create', write), pauseOf(call));
    const admitted = (): Promise<void> | void => admit(parts, call, draft, undefined, name, write);
    const allowed = (): Promise<void> | void => (permitted ? permitted().then(admitted) : admitted());
    return conforming ? conforming.then(allowed) : allowed();
  };
  return taken ? taken.begin(draft, undefined).then(judge) : judge();
}
