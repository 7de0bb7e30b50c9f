/** Validates the individual kinds of volumes. The names are those of the fields. */
// as pkg/apis/core/validation validate*VolumeSource
import { checkDns1123Label, rangeText } from '../../../../apimachinery/meta/names.js';
import type { Field } from '../../../shared/rules/field.js';
import { csiDriverName, dnsLabel, dnsSubdomain, notEmpty } from '../../../shared/rules/name-rules.js';
import { descendingPath, fileMode, noBacksteps, nonReservedPath } from '../../../shared/rules/path-rules.js';
import type {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  AzureFilePersistentVolumeSource,
  AzureFileVolumeSource,
  CSIPersistentVolumeSource,
  CSIVolumeSource,
  CephFSPersistentVolumeSource,
  CephFSVolumeSource,
  CinderPersistentVolumeSource,
  CinderVolumeSource,
  ConfigMapVolumeSource,
  EmptyDirVolumeSource,
  FCVolumeSource,
  FlexPersistentVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  GitRepoVolumeSource,
  GlusterfsPersistentVolumeSource,
  GlusterfsVolumeSource,
  HostPathVolumeSource,
  ISCSIPersistentVolumeSource,
  ISCSIVolumeSource,
  KeyToPath,
  LocalVolumeSource,
  NFSVolumeSource,
  PersistentVolumeClaimVolumeSource,
  PhotonPersistentDiskVolumeSource,
  PortworxVolumeSource,
  QuobyteVolumeSource,
  RBDPersistentVolumeSource,
  RBDVolumeSource,
  ScaleIOPersistentVolumeSource,
  ScaleIOVolumeSource,
  SecretReference,
  SecretVolumeSource,
  StorageOSPersistentVolumeSource,
  StorageOSVolumeSource,
  VsphereVirtualDiskVolumeSource,
} from '../../../../api/kubernetes/core.js';
import { quantityAt } from '../shared/resource-rules.js';

/** Refuses a negative limit of the size. as pkg/apis/core/validation validateEmptyDirVolumeSource */
export function emptyDir(source: Field<EmptyDirVolumeSource>): void {
  const limit = quantityAt(source.at('sizeLimit'));
  if (limit && limit.unscaled < 0n)
    source.at('sizeLimit').forbidden('SizeLimit field must be a valid resource quantity');
}

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

/** Requires a path of the node without `..`, and a known type. as pkg/apis/core/validation validateHostPathVolumeSource */
export function hostPath(source: Field<HostPathVolumeSource>): void {
  const path = source.at('path');
  if (path.isEmpty) {
    path.required();
    return;
  }
  noBacksteps(path);
  const type = source.at('type');
  if (type.isSet && !hostPathTypes.includes(type.value ?? '')) type.notSupported(hostPathTypes);
}

/** Requires a repository, and a folder below the mount. as pkg/apis/core/validation validateGitRepoVolumeSource */
export function gitRepo(source: Field<GitRepoVolumeSource>): void {
  notEmpty(source.at('repository'));
  descendingPath(source.at('directory'));
}

const partition = (field: Field<number>): void => {
  const value = field.value ?? 0;
  if (value < 0 || value > 255) field.invalid(rangeText(1, 255));
};

/** Requires the name of a disk, and a partition of one byte. as pkg/apis/core/validation validateGCEPersistentDiskVolumeSource */
export function gcePersistentDisk(source: Field<GCEPersistentDiskVolumeSource>): void {
  notEmpty(source.at('pdName'));
  partition(source.at('partition'));
}

/** Requires the ID of a volume, and a partition of one byte. as pkg/apis/core/validation validateAWSElasticBlockStoreVolumeSource */
export function awsElasticBlockStore(source: Field<AWSElasticBlockStoreVolumeSource>): void {
  notEmpty(source.at('volumeID'));
  partition(source.at('partition'));
}

/** Checks the file for a key: a path below the mount that does not begin with `..`, and its mode. as pkg/apis/core/validation validateKeyToPath */
export function keyToPath(item: Field<KeyToPath>): void {
  notEmpty(item.at('key'), item.at('path'));
  nonReservedPath(item.at('path'));
  fileMode(item.at('mode'));
}

/** Requires the name of a Secret, and checks the files for its keys. as pkg/apis/core/validation validateSecretVolumeSource */
export function secret(source: Field<SecretVolumeSource>): void {
  notEmpty(source.at('secretName'));
  fileMode(source.at('defaultMode'));
  source.at('items').items().forEach(keyToPath);
}

/** Requires the name of a ConfigMap, and checks the files for its keys. as pkg/apis/core/validation validateConfigMapVolumeSource */
export function configMap(source: Field<ConfigMapVolumeSource>): void {
  notEmpty(source.at('name'));
  fileMode(source.at('defaultMode'));
  source.at('items').items().forEach(keyToPath);
}

/** Requires a server and an absolute path. as pkg/apis/core/validation validateNFSVolumeSource */
export function nfs(source: Field<NFSVolumeSource>): void {
  notEmpty(source.at('server'), source.at('path'));
  if (!(source.value?.path ?? '').startsWith('/'))
    source.at('path').invalid('must be an absolute path', source.value?.path ?? '');
}

const qualifiedForms: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([a-zA-Z0-9\-.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[a-zA-Z0-9]{16}$/,
  naa: /^naa.[a-zA-Z0-9]{32}$/,
};

function iscsiName(field: Field<string>, withoutForm: string): void {
  const form = qualifiedForms[(field.value ?? '').slice(0, 3)];
  if (!form) field.invalid(withoutForm);
  else if (!form.test(field.value ?? '')) field.invalid('must be valid format');
}

function iscsiTarget(source: Field<ISCSIVolumeSource | ISCSIPersistentVolumeSource>, withoutForm: string): void {
  if (source.at('iqn').isEmpty) source.at('iqn').required();
  else iscsiName(source.at('iqn'), withoutForm);
  const lun = source.at('lun');
  if ((lun.value ?? 0) < 0 || (lun.value ?? 0) > 255) lun.invalid(rangeText(0, 255));
  const { chapAuthDiscovery, chapAuthSession, secretRef } = source.value ?? {};
  if ((chapAuthDiscovery || chapAuthSession) && !secretRef) source.at('secretRef').required();
}

const startText = 'must be valid format starting with iqn, eui, or naa';
const maxPortalLength = 64;
const portalText =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';

/**
 * Checks the names of the target and the initiator, whose form depends on their first three letters.
 * as pkg/apis/core/validation validateISCSIVolumeSource
 */
export function iscsi(source: Field<ISCSIVolumeSource>): void {
  notEmpty(source.at('targetPortal'));
  iscsiTarget(source, startText);
  const initiator = source.at('initiatorName');
  if (initiator.isSet) iscsiName(initiator.named(source, 'initiatorname'), startText);
}

/** The name of an iSCSI volume and its portal must be short enough together. The rule runs even if another kind of volume was found first. */
export function iscsiPortal(source: Field<ISCSIVolumeSource>, volume: Field<{ name?: string }>): void {
  const { initiatorName, targetPortal = '' } = source.value ?? {};
  const name = volume.value?.name ?? '';
  if (initiatorName !== undefined && `${name}:${targetPortal}`.length > maxPortalLength)
    volume.at('name').invalid(portalText, name);
}

/**
 * As `iscsi`, with the texts that upstream has for PersistentVolumes. `name`: that of the PersistentVolume.
 * as pkg/apis/core/validation validateISCSIPersistentVolumeSource
 */
export function iscsiPersistent(source: Field<ISCSIPersistentVolumeSource>, name: string): void {
  notEmpty(source.at('targetPortal'));
  const { initiatorName, targetPortal = '', secretRef } = source.value ?? {};
  if (initiatorName !== undefined && `${name}:${targetPortal}`.length > maxPortalLength)
    source.at('targetPortal').named(source, 'targetportal').invalid(portalText, targetPortal);
  iscsiTarget(source, 'must be valid format');
  if (secretRef) notEmpty(source.at('secretRef').at('name'));
  if (initiatorName !== undefined)
    iscsiName(source.at('initiatorName').named(source, 'initiatorname'), 'must be valid format');
}

/** Requires either targetWWNs with a unit number, or wwids. as pkg/apis/core/validation validateFCVolumeSource */
export function fc(source: Field<FCVolumeSource>): void {
  const names = source.at('targetWWNs');
  if (names.isEmpty && source.at('wwids').isEmpty)
    names.required('must specify either targetWWNs or wwids, but not both');
  if (names.isEmpty) return;
  if (!source.at('wwids').isEmpty) names.invalid('targetWWNs and wwids can not be specified simultaneously');
  const lun = source.at('lun');
  if (!lun.isSet) lun.required('lun is required if targetWWNs is specified');
  else if ((lun.value ?? 0) < 0 || (lun.value ?? 0) > 255) lun.invalid(rangeText(0, 255));
}

/** Requires the name of a claim; the claim need not exist. as pkg/apis/core/validation validatePersistentClaimVolumeSource */
export function persistentVolumeClaim(source: Field<PersistentVolumeClaimVolumeSource>): void {
  notEmpty(source.at('claimName'));
}

const pairsText = 'must be a host:port pair or multiple pairs separated by commas';
const hostPort = /^(?:\[[^\][]*\]|[^:[\]]*):[^:[\]]*$/;

/** Requires a registry of `host:port` pairs and a volume. as pkg/apis/core/validation validateQuobyteVolumeSource */
export function quobyte(source: Field<QuobyteVolumeSource>): void {
  const { registry = '', tenant = '' } = source.value ?? {};
  if (registry === '') source.at('registry').required(pairsText);
  else if (tenant.length >= 65)
    source.at('tenant').required('must be a UUID and may not exceed a length of 64 characters');
  else for (const pair of registry.split(',')) if (!hostPort.test(pair)) source.at('registry').invalid(pairsText);
  notEmpty(source.at('volume'));
}

/** Requires endpoints and a path. as pkg/apis/core/validation validateGlusterfsVolumeSource */
export function glusterfs(source: Field<GlusterfsVolumeSource>): void {
  notEmpty(source.at('endpoints'), source.at('path'));
}

/** As `glusterfs`; the endpoints may be in another namespace. as pkg/apis/core/validation validateGlusterfsPersistentVolumeSource */
export function glusterfsPersistent(source: Field<GlusterfsPersistentVolumeSource>): void {
  notEmpty(source.at('endpoints'), source.at('path'));
  const namespace = source.at('endpointsNamespace');
  if (namespace.value === '') namespace.invalid('if the endpointnamespace is set, it must be a valid namespace name');
  else if (namespace.isSet) namespace.check(checkDns1123Label);
}

/** Requires either the name or the UUID of a dataset. as pkg/apis/core/validation validateFlockerVolumeSource */
export function flocker(source: Field<FlockerVolumeSource>): void {
  const { datasetName = '', datasetUUID = '' } = source.value ?? {};
  if (datasetName === '' && datasetUUID === '') source.required('one of datasetName and datasetUUID is required');
  if (datasetName !== '' && datasetUUID !== '')
    source.invalid('datasetName and datasetUUID can not be specified simultaneously', 'resource');
  if (datasetName.includes('/')) source.at('datasetName').invalid("must not contain '/'");
}

/** Requires monitors and an image. as pkg/apis/core/validation validateRBDVolumeSource */
export function rbd(source: Field<RBDVolumeSource | RBDPersistentVolumeSource>): void {
  if (source.at('monitors').isEmpty) source.at('monitors').required();
  notEmpty(source.at('image'));
}

/** Checks `name`, and for volumes of the cluster `namespace`, of a reference to a secret. */
function secretNamed(reference: Field<SecretReference>, withNamespace: boolean): void {
  if (!reference.isSet) return;
  notEmpty(reference.at('name'));
  if (withNamespace) notEmpty(reference.at('namespace'));
}

/** Requires the ID of a volume. The Secret is in the namespace of the Pod. as pkg/apis/core/validation validateCinderVolumeSource */
export function cinder(source: Field<CinderVolumeSource>): void {
  notEmpty(source.at('volumeID'));
  secretNamed(source.at('secretRef'), false);
}

/** As `cinder`; the reference to the Secret has a namespace. as pkg/apis/core/validation validateCinderPersistentVolumeSource */
export function cinderPersistent(source: Field<CinderPersistentVolumeSource>): void {
  notEmpty(source.at('volumeID'));
  secretNamed(source.at('secretRef'), true);
}

/** Requires monitors. as pkg/apis/core/validation validateCephFSVolumeSource */
export function cephfs(source: Field<CephFSVolumeSource | CephFSPersistentVolumeSource>): void {
  if (source.at('monitors').isEmpty) source.at('monitors').required();
}

/**
 * Requires a driver, and refuses options in the namespaces of Kubernetes, which the kubelet adds itself.
 * as pkg/apis/core/validation validateFlexVolumeSource
 */
export function flexVolume(source: Field<FlexVolumeSource | FlexPersistentVolumeSource>): void {
  notEmpty(source.at('driver'));
  for (const [name, option] of source.at('options').entries()) {
    const home = `.${name.split('/')[0] ?? ''}`.toLowerCase();
    if (home.endsWith('.kubernetes.io') || home.endsWith('.k8s.io'))
      option.invalid('kubernetes.io and k8s.io namespaces are reserved', name);
  }
}

/** Requires the names of a Secret and of a share. as pkg/apis/core/validation validateAzureFile */
export function azureFile(source: Field<AzureFileVolumeSource | AzureFilePersistentVolumeSource>): void {
  notEmpty(source.at('secretName'), source.at('shareName'));
}

/** As `azureFile`; a namespace of the Secret may not be empty if it is set. as pkg/apis/core/validation validateAzureFilePV */
export function azureFilePersistent(source: Field<AzureFilePersistentVolumeSource>): void {
  azureFile(source);
  if (source.at('secretNamespace').isSet) notEmpty(source.at('secretNamespace'));
}

const cachingModes = ['None', 'ReadOnly', 'ReadWrite'];
const diskKinds = ['Dedicated', 'Managed', 'Shared'];
const managedUri = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobUri = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

/** Requires a name and a URI, whose form depends on the kind of the disk. as pkg/apis/core/validation validateAzureDisk */
export function azureDisk(source: Field<AzureDiskVolumeSource>): void {
  notEmpty(source.at('diskName'), source.at('diskURI'));
  const { cachingMode, kind, diskURI = '' } = source.value ?? {};
  if (cachingMode !== undefined && !cachingModes.includes(cachingMode))
    source.at('cachingMode').notSupported(cachingModes);
  if (kind !== undefined && !diskKinds.includes(kind)) source.at('kind').notSupported(diskKinds);
  if (kind === 'Managed' && !diskURI.startsWith('/subscriptions/')) source.at('diskURI').notSupported([managedUri]);
  if (kind !== undefined && kind !== 'Managed' && !diskURI.startsWith('https://'))
    source.at('diskURI').notSupported([blobUri]);
}

/** Requires the path of a volume. as pkg/apis/core/validation validateVsphereVolumeSource */
export function vsphereVolume(source: Field<VsphereVirtualDiskVolumeSource>): void {
  notEmpty(source.at('volumePath'));
}

/** Requires the ID of a disk. as pkg/apis/core/validation validatePhotonPersistentDiskVolumeSource */
export function photonPersistentDisk(source: Field<PhotonPersistentDiskVolumeSource>): void {
  notEmpty(source.at('pdID'));
}

/** Requires the ID of a volume. as pkg/apis/core/validation validatePortworxVolumeSource */
export function portworxVolume(source: Field<PortworxVolumeSource>): void {
  notEmpty(source.at('volumeID'));
}

/** Requires a gateway, a system and the name of a volume. as pkg/apis/core/validation validateScaleIOVolumeSource */
export function scaleIO(source: Field<ScaleIOVolumeSource | ScaleIOPersistentVolumeSource>): void {
  notEmpty(source.at('gateway'), source.at('system'), source.at('volumeName'));
}

/** Requires a path of the node without `..`. as pkg/apis/core/validation validateLocalVolumeSource */
export function local(source: Field<LocalVolumeSource>): void {
  const path = source.at('path');
  if (path.isEmpty) path.required();
  else noBacksteps(path);
}

function storageosVolume(source: Field<StorageOSVolumeSource | StorageOSPersistentVolumeSource>): void {
  const volume = source.at('volumeName');
  if (volume.isEmpty) volume.required();
  else dnsLabel(volume);
  if (!source.at('volumeNamespace').isEmpty) dnsLabel(source.at('volumeNamespace'));
}

/** Checks the names of volume and namespace. The Secret is in the namespace of the Pod. as pkg/apis/core/validation validateStorageOSVolumeSource */
export function storageos(source: Field<StorageOSVolumeSource>): void {
  storageosVolume(source);
  secretNamed(source.at('secretRef'), false);
}

/** As `storageos`; the reference to the Secret has a namespace. as pkg/apis/core/validation validateStorageOSPersistentVolumeSource */
export function storageosPersistent(source: Field<StorageOSPersistentVolumeSource>): void {
  storageosVolume(source);
  secretNamed(source.at('secretRef'), true);
}

/**
 * Checks a volume that lives as long as its Pod: the driver, and the Secret in the namespace of the Pod.
 * as pkg/apis/core/validation validateCSIVolumeSource
 */
export function csi(source: Field<CSIVolumeSource>): void {
  csiDriverName(source.at('driver'));
  const secretRef = source.at('nodePublishSecretRef');
  if (!secretRef.isSet) return;
  if (secretRef.at('name').isEmpty) secretRef.at('name').required();
  else dnsSubdomain(secretRef.at('name').named(source, 'name'));
}

function wholeSecretReference(reference: Field<SecretReference>): void {
  if (!reference.isSet) return;
  const name = reference.at('name');
  if (name.isEmpty) name.required();
  else dnsSubdomain(name);
  const namespace = reference.at('namespace');
  if (namespace.isEmpty) namespace.required();
  else dnsLabel(namespace);
}

/**
 * Requires a driver and a handle. References to Secrets have a name and a namespace.
 * as pkg/apis/core/validation validateCSIPersistentVolumeSource
 */
export function csiPersistent(source: Field<CSIPersistentVolumeSource>): void {
  csiDriverName(source.at('driver'));
  notEmpty(source.at('volumeHandle'));
  wholeSecretReference(source.at('controllerPublishSecretRef'));
  wholeSecretReference(source.at('controllerExpandSecretRef'));
  wholeSecretReference(source.at('nodePublishSecretRef'));
  wholeSecretReference(source.at('nodeExpandSecretRef'));
}
