/** Validates where containers mount their volumes. */
// as pkg/apis/core/validation ValidateVolumeMounts, ValidateVolumeDevices
import type { Field } from '../../../shared/rules/field.js';
import { notEmpty } from '../../../shared/rules/name-rules.js';
import { descendingPath } from '../../../shared/rules/path-rules.js';
import type { Container, Volume, VolumeMount } from '../../../../api/kubernetes/core.js';

type Volumes = ReadonlyMap<string, Volume>;

const propagations = ['Bidirectional', 'HostToContainer', 'None'];
const recursions = ['Disabled', 'Enabled', 'IfPossible'];

/**
 * Checks that mounts name volumes of the Pod, and that no path is mounted twice, also as a device.
 * as pkg/apis/core/validation ValidateVolumeMounts
 */
export function volumeMounts(container: Field<Container>, volumes: Volumes): void {
  const list = container.at('volumeMounts');
  const devices = container.value?.volumeDevices ?? [];
  const points = new Set<string>();
  for (const mount of list.items()) {
    const { name = '', mountPath = '' } = mount.value ?? {};
    notEmpty(mount.at('name'));
    if (!volumes.has(name)) mount.at('name').notFound();
    notEmpty(mount.at('mountPath'));
    if (points.has(mountPath)) mount.at('mountPath').invalid('must be unique', mountPath);
    points.add(mountPath);
    if (devices.some(d => d.name === name)) mount.at('name').invalid('must not already exist in volumeDevices');
    if (devices.some(d => d.devicePath === mountPath))
      mount.at('mountPath').invalid('must not already exist as a path in volumeDevices');
    pathsInside(mount, list);
    propagation(mount, list, container);
    recursion(mount, list);
  }
}

/** Upstream uses the list as the path of these errors. */
function pathsInside(mount: Field<VolumeMount>, list: Field<unknown>): void {
  const { subPath = '', subPathExpr = '' } = mount.value ?? {};
  if (subPath !== '') descendingPath(mount.at('subPath').named(list, 'subPath'));
  if (subPathExpr === '') return;
  if (subPath !== '') mount.at('subPathExpr').invalid('subPathExpr and subPath are mutually exclusive');
  descendingPath(mount.at('subPathExpr').named(list, 'subPathExpr'));
}

function propagation(mount: Field<VolumeMount>, list: Field<unknown>, container: Field<Container>): void {
  const mode = mount.at('mountPropagation').named(list, 'mountPropagation');
  if (!mode.isSet) return;
  if (!propagations.includes(mode.value ?? '')) mode.notSupported(propagations);
  if (mode.value === 'Bidirectional' && !container.value?.securityContext?.privileged)
    mode.forbidden('Bidirectional mount propagation is available only to privileged containers');
}

function recursion(mount: Field<VolumeMount>, list: Field<unknown>): void {
  const mode = mount.at('recursiveReadOnly').named(list, 'recursiveReadOnly');
  if (!mode.isSet || mode.value === 'Disabled') return;
  if (!recursions.includes(mode.value ?? '')) {
    mode.notSupported(recursions);
    return;
  }
  const { readOnly, mountPropagation } = mount.value ?? {};
  if (!readOnly) mode.forbidden('may only be specified when readOnly is true');
  if (mountPropagation !== undefined && mountPropagation !== 'None')
    mode.forbidden('may only be specified when mountPropagation is None or not specified');
}

/** Checks block devices, which only claims can provide, and which may not be mounted as well. as pkg/apis/core/validation ValidateVolumeDevices */
export function volumeDevices(container: Field<Container>, volumes: Volumes): void {
  const list = container.at('volumeDevices');
  const mounts = container.value?.volumeMounts ?? [];
  const paths = new Set<string>();
  const names = new Set<string>();
  for (const device of list.items()) {
    const { name = '', devicePath = '' } = device.value ?? {};
    const volume = volumes.get(name);
    const nameField = device.at('name');
    const pathField = device.at('devicePath');
    notEmpty(nameField);
    if (names.has(name)) nameField.invalid('must be unique', name);
    if (volume && !volume.persistentVolumeClaim && !volume.ephemeral)
      nameField.invalid('can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode', name);
    if (!volume) nameField.notFound();
    notEmpty(pathField);
    if (paths.has(devicePath)) pathField.invalid('must be unique', devicePath);
    if (devicePath.split('/').includes('..')) pathField.invalid("can not contain backsteps ('..')");
    else paths.add(devicePath);
    if (mounts.some(m => m.name === name)) nameField.invalid('must not already exist in volumeMounts', name);
    if (mounts.some(m => m.mountPath === devicePath))
      pathField.invalid('must not already exist as a path in volumeMounts', devicePath);
    if (name !== '') names.add(name);
  }
}
