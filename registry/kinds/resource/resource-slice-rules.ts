// as pkg/apis/resource/validation ValidateResourceSlice
import type { Validate } from '../../interface.js';
import { nodeSelector } from '../core/affinity-rules.js';
import type { Field } from '../shared/field.js';
import { immutable } from '../shared/immutable.js';
import { shownInternal } from '../shared/internal-json.js';
import { dnsLabel } from '../shared/name-rules.js';
import { validate } from '../shared/validate.js';
import type { CounterSet, DeviceAttribute, ResourcePool, ResourceSlice, ResourceSliceSpec } from '../types/resource.js';
import { counters, deviceRules, nodeName } from './device-rules.js';
import { setOf } from './lists.js';
import { driverName, poolName, requiredName } from './names.js';

const mostDevices = 128;
/** Devices with taints or counters take more room. */
const mostLargeDevices = 64;
const mostCounterSets = 8;

function pool(field: Field<ResourcePool>): void {
  poolName(field.at('name'));
  const [count, generation] = [field.at('resourceSliceCount'), field.at('generation')];
  if ((count.value ?? 0) <= 0) count.invalid('must be greater than zero', count.value ?? 0);
  if ((generation.value ?? 0) < 0) generation.invalid('must be greater than or equal to zero');
}

/** Where the devices are: said in one way. */
function place(spec: Field<ResourceSliceSpec>): void {
  const said: string[] = [];
  const [node, selector] = [spec.at('nodeName'), spec.at('nodeSelector')];
  if (node.value === '') node.invalid('must be either unset or set to a non-empty string');
  else if (node.isSet) {
    said.push('`nodeName`');
    nodeName(node);
  }
  if (selector.isSet) {
    said.push('`nodeSelector`');
    nodeSelector(selector, false);
    const terms = selector.at('nodeSelectorTerms');
    if (terms.value?.length !== 1)
      terms.invalid('must have exactly one node selector term', shownInternal('[]NodeSelectorTerm', terms.value));
  }
  for (const flag of [spec.at('allNodes'), spec.at('perDeviceNodeSelection')]) {
    if (flag.value === false) flag.invalid('must be either unset or set to true');
    else if (flag.isSet) said.push(`\`${flag.path.split('.').at(-1)}\``);
  }
  const rule = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  if (said.length === 0) spec.required(rule);
  else if (said.length > 1) spec.invalid(`${rule}, but multiple fields are set`, `{${said.join(', ')}}`);
}

function counterSet(field: Field<CounterSet>): void {
  requiredName(field.at('name'), dnsLabel);
  counters(field.at('counters'));
}

const isList = ({ bools, ints, strings, versions }: DeviceAttribute): boolean =>
  [bools, ints, strings, versions].some(list => list !== undefined);

export const resourceSliceRules: readonly Validate[] = [
  validate<ResourceSlice>((slice, old) => {
    const spec = slice.at('spec');
    driverName(spec.at('driver'));
    pool(spec.at('pool'));
    if (old) {
      immutable(spec.at('pool').at('name'), old.spec?.pool?.name);
      immutable(spec.at('driver'), old.spec?.driver);
      immutable(spec.at('nodeName'), old.spec?.nodeName);
    }
    place(spec);
    if (spec.at('sharedCounters').isSet && spec.at('devices').isSet)
      spec.invalid('only one of `sharedCounters` or `devices` is allowed', '');
    const devices = spec.value?.devices ?? [];
    const isLarge = devices.some(
      ({ taints, consumesCounters, attributes }) =>
        taints?.length || consumesCounters?.length || Object.values(attributes ?? {}).some(isList),
    );
    const before = new Map((old?.spec?.devices ?? []).map(device => [device.name, device]));
    const placed = spec.value?.perDeviceNodeSelection === true;
    setOf(
      spec.at('devices'),
      isLarge ? mostLargeDevices : mostDevices,
      ({ name }) => name ?? '',
      device => deviceRules(device, before.get(device.value?.name), placed),
    );
    setOf(spec.at('sharedCounters'), mostCounterSets, ({ name }) => name ?? '', counterSet);
  }),
];

export function resourceSliceWarnings(object: unknown): string[] {
  const driver = (object as ResourceSlice).spec?.driver ?? '';
  if (driver === driver.toLowerCase()) return [];
  return [`spec.driver: driver names should be lowercase; "${driver}" contains uppercase characters`];
}
