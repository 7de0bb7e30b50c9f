// as pkg/apis/resource/validation ValidateResourceSlice
import type { Validate } from '../../../registry/interface.js';
import type { Field } from '../../shared/rules/field.js';
import { immutable } from '../../shared/rules/immutable.js';
import { shownInternal } from '../../shared/go-text/internal-json.js';
import { dnsLabel } from '../../shared/rules/name-rules.js';
import { validate } from '../../shared/rules/validate.js';
import type { CounterSet, DeviceAttribute, ResourcePool, ResourceSlice } from '../../../api/kubernetes/resource.js';
import { counters, deviceRules } from './device-rules.js';
import { setOf } from './lists.js';
import { driverName, poolName, requiredName } from './names.js';
import { type PlaceRules, placeRules } from './place-rules.js';

const maxDevices = 128;
/** The limit is lower for devices with taints or counters, which are larger. */
const maxLargeDevices = 64;
const maxCounterSets = 8;

function pool(field: Field<ResourcePool>): void {
  poolName(field.at('name'));
  const [count, generation] = [field.at('resourceSliceCount'), field.at('generation')];
  if ((count.value ?? 0) <= 0) count.invalid('must be greater than zero', count.value ?? 0);
  if ((generation.value ?? 0) < 0) generation.invalid('must be greater than or equal to zero');
}

const onePlace = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
/** The location of the devices, for all together or for each. */
const place: PlaceRules = {
  flags: ['allNodes', 'perDeviceNodeSelection'],
  emptyName: 'must be either unset or set to a non-empty string',
  required: onePlace,
  several: `${onePlace}, but multiple fields are set`,
  selector(field) {
    const terms = field.at('nodeSelectorTerms');
    if (terms.value?.length !== 1)
      terms.invalid('must have exactly one node selector term', shownInternal('[]NodeSelectorTerm', terms.value));
  },
};

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
    placeRules(spec, place);
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
      isLarge ? maxLargeDevices : maxDevices,
      ({ name }) => name ?? '',
      device => deviceRules(device, before.get(device.value?.name), placed),
    );
    setOf(spec.at('sharedCounters'), maxCounterSets, ({ name }) => name ?? '', counterSet);
  }),
];

/** Warns of a driver with capitals in its name, which is compared case-sensitively. as pkg/registry/resource/resourceslice WarningsOnCreate */
export function resourceSliceWarnings(object: unknown): string[] {
  const driver = (object as ResourceSlice).spec?.driver ?? '';
  if (driver === driver.toLowerCase()) return [];
  return [`spec.driver: driver names should be lowercase; "${driver}" contains uppercase characters`];
}
