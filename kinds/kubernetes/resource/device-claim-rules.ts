/** Validates claims for devices. as pkg/apis/resource/validation validateDeviceClaim */
import { checkLabelKey, checkLabelValue } from '../../../apimachinery/meta/names.js';
import type { Field } from '../../shared/rules/field.js';
import { dnsLabel, dnsSubdomain } from '../../shared/rules/name-rules.js';
import type {
  DeviceClaim,
  DeviceConstraint,
  DeviceRequest,
  DeviceSelector,
  DeviceSubRequest,
  DeviceToleration,
  ExactDeviceRequest,
} from '../../../api/kubernetes/resource.js';
import { deviceConfiguration } from './device-config-rules.js';
import { eachOf, setOf } from './lists.js';
import { fullyQualifiedName, requiredName } from './names.js';
import { deviceSelector } from './selector-rules.js';

export const maxRequests = 32;
export const maxConfigs = 32;
const maxConstraints = 32;
const maxSelectors = 32;
const maxAlternatives = 8;

/** The requests of a claim by name, each with the names of its alternatives. */
export type RequestNames = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Returns the names that the other parts of a claim may refer to. Without a claim there are none.
 * as pkg/apis/resource/validation gatherRequestNames
 */
export function requestNamesOf(claim: DeviceClaim | undefined): RequestNames {
  const alternatives = ({ firstAvailable }: DeviceRequest): Set<string> =>
    new Set((firstAvailable ?? []).map(({ name }) => name ?? ''));
  return new Map((claim?.requests ?? []).map(request => [request.name ?? '', alternatives(request)]));
}

const unknownRequest =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/** Validates `request` or `request/alternative`. */
export function requestReference(field: Field<string>, names: RequestNames): void {
  const parts = (field.value ?? '').split('/');
  const [request = '', alternative] = parts;
  if (parts.length > 2) {
    field.invalid(unknownRequest);
    return;
  }
  for (const part of parts) dnsLabel(field.holding(part));
  const known = names.get(request);
  if (!known || (alternative !== undefined && !known.has(alternative)))
    field.invalid(unknownRequest, field.value ?? '');
}

/** Checks a set of references to requests of the claim. */
export function requestReferences(list: Field<string[]>, names: RequestNames): void {
  setOf(
    list,
    maxRequests,
    name => name,
    name => requestReference(name, names),
  );
}

/** Checks the number of selectors, and compiles the expression of each. as pkg/apis/resource/validation validateSelectorSlice */
export function selectors(list: Field<DeviceSelector[]>): void {
  eachOf(list, maxSelectors, deviceSelector);
}

const modes = ['All', 'ExactCount'];

function allocation(request: Field<ExactDeviceRequest | DeviceSubRequest>): void {
  const [mode, count] = [request.at('allocationMode'), request.at('count')];
  const number = count.value ?? 0;
  if (mode.value === 'All') {
    if (number !== 0) count.invalid("must not be specified when allocationMode is 'All'");
  } else if (mode.value === 'ExactCount') {
    if (number <= 0) count.invalid('must be greater than zero', number);
  } else mode.notSupported(modes);
}

const operators = ['Equal', 'Exists'];
export const effects = ['NoExecute', 'NoSchedule', 'None'];

function toleration(field: Field<DeviceToleration>): void {
  const [key, operator, value, effect] = [field.at('key'), field.at('operator'), field.at('value'), field.at('effect')];
  if (!key.isEmpty) key.check(checkLabelKey);
  if (operator.value === 'Exists') {
    if (!value.isEmpty) value.invalid('must be empty for operator `Exists`');
  } else if (operator.value === 'Equal') value.check(checkLabelValue);
  else if (operator.isEmpty) operator.required();
  else operator.notSupported(operators);
  if (!effect.isEmpty && !effects.includes(effect.value ?? '')) effect.notSupported(effects);
}

function requested(request: Field<ExactDeviceRequest | DeviceSubRequest>): void {
  requiredName(request.at('deviceClassName'), dnsSubdomain);
  selectors(request.at('selectors'));
  allocation(request);
  for (const field of request.at('tolerations').items()) toleration(field);
}

function deviceRequest(request: Field<DeviceRequest>): void {
  dnsLabel(request.at('name'));
  const [exactly, alternatives] = [request.at('exactly'), request.at('firstAvailable')];
  const oneOf = 'exactly one of `exactly` or `firstAvailable` is required';
  if (!exactly.isSet && alternatives.isEmpty) request.required(oneOf);
  else if (exactly.isSet && !alternatives.isEmpty) request.invalid(`${oneOf}, but multiple fields are set`, null);
  else if (exactly.isSet) requested(exactly);
  else {
    setOf(
      alternatives,
      maxAlternatives,
      ({ name }) => name ?? '',
      alternative => {
        dnsLabel(alternative.at('name'));
        requested(alternative);
      },
    );
  }
}

function constraint(field: Field<DeviceConstraint>, names: RequestNames): void {
  requestReferences(field.at('requests'), names);
  const [match, distinct] = [field.at('matchAttribute'), field.at('distinctAttribute')];
  if (match.isSet) fullyQualifiedName(match);
  else if (distinct.isSet) fullyQualifiedName(distinct);
  else {
    field.required('exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set');
  }
}

/** Checks the requests, and that constraints and configurations refer to these. as pkg/apis/resource/validation validateDeviceClaim */
export function deviceClaim(claim: Field<DeviceClaim>): void {
  const names = requestNamesOf(claim.value);
  setOf(claim.at('requests'), maxRequests, ({ name }) => name ?? '', deviceRequest);
  eachOf(claim.at('constraints'), maxConstraints, field => constraint(field, names));
  eachOf(claim.at('config'), maxConfigs, config => {
    requestReferences(config.at('requests'), names);
    deviceConfiguration(config);
  });
}
