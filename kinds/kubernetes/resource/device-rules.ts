/** Validates one device of a slice. as pkg/apis/resource/validation validateDevice */
import { semanticEqual } from '../../../lib/json/equality.js';
import { checkLabelKey, checkLabelValue } from '../../../apimachinery/meta/names.js';
import type { Field } from '../../shared/rules/field.js';
import { shownInternal } from '../../shared/go-text/internal-json.js';
import { dnsLabel } from '../../shared/rules/name-rules.js';
import type {
  Counter,
  Device,
  DeviceAttribute,
  DeviceCounterConsumption,
  DeviceTaint,
} from '../../../api/kubernetes/resource.js';
import { capacityRules } from './capacity-rules.js';
import { effects } from './device-claim-rules.js';
import { eachOf, entriesOf, setOf } from './lists.js';
import { deviceName, maxQualifiedNameLength, qualifiedName, requiredName } from './names.js';
import { type PlaceRules, placeRules } from './place-rules.js';
import { bindingConditions } from './resource-claim-rules.js';

const maxProperties = 32;
const maxValues = 48;
const maxTaints = 16;
const maxConsumed = 2;
const maxCounters = 32;
const maxValueLength = 64;
const maxCounterLength = 63;

const identifier = '(0|[1-9]\\d*)';
const preRelease = '(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const build = '[0-9a-zA-Z-]+';
const semver = new RegExp(
  `^${identifier}\\.${identifier}\\.${identifier}(-${preRelease}(\\.${preRelease})*)?(\\+${build}(\\.${build})*)?$`,
);

function text(field: Field<string>): void {
  if (Buffer.byteLength(field.value ?? '') > maxValueLength) field.tooLong(maxValueLength);
}

function version(field: Field<string>): void {
  if (!semver.test(field.value ?? '')) field.invalid('must be a string compatible with semver.org spec 2.0.0');
  text(field);
}

const kinds = ['bool', 'int', 'string', 'version', 'bools', 'ints', 'strings', 'versions'] as const;

function attribute(field: Field<DeviceAttribute>): void {
  if (field.at('string').isSet) text(field.at('string'));
  if (field.at('version').isSet) version(field.at('version'));
  for (const kind of ['bools', 'ints', 'strings', 'versions'] as const) {
    const list = field.at(kind) as Field<unknown[]>;
    if (list.isSet && list.isEmpty) list.invalid('must not be empty if specified');
  }
  field.at('strings').items().forEach(text);
  field.at('versions').items().forEach(version);
  const count = kinds.filter(kind => field.at(kind).isSet).length;
  if (count !== 1)
    field.invalid(
      'exactly one value must be specified',
      count === 0 ? '' : shownInternal('DeviceAttribute', field.value),
    );
}

function taint(field: Field<DeviceTaint>): void {
  const [value, effect] = [field.at('value'), field.at('effect')];
  field.at('key').check(checkLabelKey);
  if (!value.isEmpty) value.check(checkLabelValue);
  if (effect.isEmpty) effect.required();
  else if (!effects.includes(effect.value ?? '')) effect.notSupported(effects);
}

/** Counters by name, at least one. */
export function counters(map: Field<Record<string, Counter>>): void {
  if (map.isEmpty) map.required();
  else entriesOf(map, [maxCounters, maxCounterLength], dnsLabel);
}

function consumption(field: Field<DeviceCounterConsumption>): void {
  requiredName(field.at('counterSet'), dnsLabel);
  counters(field.at('counters'));
}

const onePlace =
  'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
/** The location of a single device. */
const place: PlaceRules = {
  flags: ['allNodes'],
  emptyName: 'must not be empty',
  required: onePlace,
  several: onePlace,
};

/** Returns the number of values of an attribute: those in its lists, or one. */
const valuesOf = ({ bools = [], ints = [], strings = [], versions = [] }: DeviceAttribute): number =>
  bools.length + ints.length + strings.length + versions.length || 1;

/** `placed`: the devices of the slice have their own locations. */
export function deviceRules(device: Field<Device>, old: Device | undefined, placed: boolean): void {
  const [attributes, capacity, taints] = [device.at('attributes'), device.at('capacity'), device.at('taints')];
  deviceName(device.at('name'));
  const values = Object.values(attributes.value ?? {}).reduce((sum, value) => sum + valuesOf(value), 0);
  const properties = Object.keys(attributes.value ?? {}).length + Object.keys(capacity.value ?? {}).length;
  if (properties > maxProperties)
    device.invalid(`the total number of attributes and capacities must not exceed ${maxProperties}`, properties);
  if (values > maxValues) device.invalid(`the total number of attribute values must not exceed ${maxValues}`, values);
  const limits = [Infinity, maxQualifiedNameLength] as const;
  entriesOf(attributes, limits, qualifiedName, attribute);
  const shared = device.value?.allowMultipleAllocations === true;
  entriesOf(capacity, limits, qualifiedName, field => capacityRules(field, shared));
  if (!old || !semanticEqual(old.taints, taints.value)) eachOf(taints, maxTaints, taint);
  setOf(device.at('consumesCounters'), maxConsumed, ({ counterSet }) => counterSet ?? '', consumption);
  if (placed) placeRules(device, place);
  else if (['nodeName', 'nodeSelector', 'allNodes'].some(name => device.at(name as keyof Device).isSet)) {
    device.invalid(
      '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
      null,
    );
  }
  bindingConditions(device);
}
