/** Validates volumes that combine several sources. */
// as pkg/apis/core/validation validateProjectionSources
import { labelSelectorFaults } from '../../../../apimachinery/selectors/label-faults.js';
import type { LabelSelector } from '../../../../apimachinery/selectors/label-selectors.js';
import { byteLength, checkDns1123Subdomain, domainPrefixedKeyFaults } from '../../../../apimachinery/meta/names.js';
import { annotationsMaxBytes } from '../../../../registry/strategy/metadata.js';
import type { Field } from '../../../shared/rules/field.js';
import { shownInternal } from '../../../shared/go-text/internal-json.js';
import { notEmpty, signerName } from '../../../shared/rules/name-rules.js';
import { fileMode, nonReservedPath } from '../../../shared/rules/path-rules.js';
import type {
  ClusterTrustBundleProjection,
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  KeyToPath,
  PodCertificateProjection,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '../../../../api/kubernetes/core.js';
import { fieldRef, resourceFieldRef } from '../shared/field-ref-rules.js';
import type { PodOptions } from '../shared/pod-options.js';
import { keyToPath } from './volume-source-rules.js';

const volumeFieldPaths = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

/** Errors of a file are reported at its list, which upstream uses as the path. */
function downwardFile(file: Field<DownwardAPIVolumeFile>, place: Field<unknown>): void {
  const path = file.at('path').named(place, 'path');
  notEmpty(path);
  nonReservedPath(path);
  const { fieldRef: byField, resourceFieldRef: byResource } = file.value ?? {};
  if (byField) {
    fieldRef(file.at('fieldRef').named(place, 'fieldRef'), volumeFieldPaths);
    if (byResource) place.invalid('fieldRef and resourceFieldRef can not be specified simultaneously', 'resource');
  } else if (byResource)
    resourceFieldRef(file.at('resourceFieldRef').named(place, 'resourceFieldRef'), { volume: true });
  else place.required('one of fieldRef and resourceFieldRef is required');
  fileMode(file.at('mode').named(place, 'mode'));
}

/** Checks the files with fields and resources of the Pod. as pkg/apis/core/validation validateDownwardAPIVolumeSource */
export function downwardApi(source: Field<DownwardAPIVolumeSource>): void {
  fileMode(source.at('defaultMode'));
  for (const file of source.at('items').items()) downwardFile(file, source);
}

/** Checks each source, and that no two have a file with the same path. as pkg/apis/core/validation validateProjectedVolumeSource */
export function projected(volume: Field<ProjectedVolumeSource>, options: PodOptions): void {
  fileMode(volume.at('defaultMode'));
  const paths = new Set<string>();
  /** `shown`: the name in the text; for lists of keys, the name of their object. */
  const unique = (path: string, shown: string): void => {
    if (paths.has(path)) volume.invalid('conflicting duplicate paths', shown);
    paths.add(path);
  };
  for (const source of volume.at('sources').items()) oneSource(source, volume, options, unique);
}

type Unique = (path: string, shown: string) => void;

function oneSource(source: Field<VolumeProjection>, volume: Field<unknown>, options: PodOptions, unique: Unique): void {
  const kinds = [
    'secret',
    'configMap',
    'downwardAPI',
    'serviceAccountToken',
    'clusterTrustBundle',
    'podCertificate',
  ] as const;
  for (const kind of ['secret', 'configMap'] as const) {
    const object = source.at(kind);
    if (object.isSet) keysOf(object, unique);
  }
  for (const file of source.at('downwardAPI').at('items').items()) {
    downwardFile(file, source.at('downwardAPI'));
    const path = file.value?.path ?? '';
    if (path !== '') unique(path, path);
  }
  if (source.at('serviceAccountToken').isSet) token(source.at('serviceAccountToken'), volume, options);
  if (source.at('clusterTrustBundle').isSet) trustBundle(source.at('clusterTrustBundle'), unique);
  if (source.at('podCertificate').isSet) certificate(source.at('podCertificate'), unique);
  if (kinds.filter(kind => source.at(kind).isSet).length > 1)
    source.forbidden('may not specify more than 1 volume type per source');
}

function keysOf(object: Field<{ name?: string; items?: KeyToPath[] }>, unique: Unique): void {
  notEmpty(object.at('name'));
  for (const item of object.at('items').items()) {
    keyToPath(item);
    if (item.value?.path) unique(item.value.path, object.value?.name ?? '');
  }
}

const shortestToken = 600;
const maxTokenSeconds = 2 ** 32;

function token(source: Field<ServiceAccountTokenProjection>, volume: Field<unknown>, options: PodOptions): void {
  const seconds = source.at('expirationSeconds');
  const value = seconds.value ?? 0;
  if (value < shortestToken) seconds.invalid('may not specify a duration less than 10 minutes', value);
  if (value > maxTokenSeconds) seconds.invalid('may not specify a duration larger than 2^32 seconds');
  const path = source.at('path').named(volume, 'path');
  if (path.isEmpty) path.required();
  else if (!options.allowBadTokenPaths) nonReservedPath(path);
}

function bundleNameTexts(name: string): readonly string[] {
  const colon = name.lastIndexOf(':');
  const ofSigner = colon < 0 ? name : name.slice(colon + 1);
  return checkDns1123Subdomain(ofSigner);
}

function trustBundle(source: Field<ClusterTrustBundleProjection>, unique: Unique): void {
  const { name, signerName: signer, labelSelector, path = '' } = source.value ?? {};
  if (name !== undefined && signer !== undefined)
    source.invalid(
      'only one of name and signerName may be used',
      shownInternal('ClusterTrustBundleProjection', source.value),
    );
  else if (name !== undefined) {
    if (name === '') source.at('name').required('must be a valid object name');
    for (const text of bundleNameTexts(name)) source.at('name').invalid(`not a valid clustertrustbundlename: ${text}`);
    if (labelSelector) source.at('labelSelector').invalid('labelSelector must be unset if name is specified');
  } else if (signer !== undefined) {
    if (signer === '') source.at('signerName').required('must be a valid signer name');
    signerName(source.at('signerName'));
    source.add(...labelSelectorFaults(labelSelector as LabelSelector | undefined, source.at('labelSelector')));
  } else source.required('either name or signerName must be specified');
  notEmpty(source.at('path'));
  nonReservedPath(source.at('path'));
  unique(path, path);
}

const keyTypes = ['RSA3072', 'RSA4096', 'ECDSAP256', 'ECDSAP384', 'ECDSAP521', 'ED25519'];
const day = 24 * 3600;

function certificate(source: Field<PodCertificateProjection>, unique: Unique): void {
  signerName(source.at('signerName'));
  for (const [key] of source.at('userAnnotations').entries())
    source.add(...domainPrefixedKeyFaults(source.at('userAnnotations').path, key.toLowerCase()));
  const annotations = Object.entries(source.value?.userAnnotations ?? {});
  if (annotations.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0) > annotationsMaxBytes)
    source.at('userAnnotations').tooLong(annotationsMaxBytes);
  const { keyType = '', maxExpirationSeconds: seconds, signerName: signer = '' } = source.value ?? {};
  if (!keyTypes.includes(keyType)) source.at('keyType').notSupported(keyTypes);
  if (seconds !== undefined) {
    const host = signer.split('/')[0] ?? '';
    const maxSeconds = host === 'kubernetes.io' || host.endsWith('.kubernetes.io') ? day : 91 * day;
    if (seconds < 3600) source.at('maxExpirationSeconds').invalid('if provided, maxExpirationSeconds must be >= 3600');
    if (seconds > maxSeconds)
      source.at('maxExpirationSeconds').invalid(`if provided, maxExpirationSeconds must be <= ${maxSeconds}`);
  }
  const paths = (['credentialBundlePath', 'keyPath', 'certificateChainPath'] as const).map(name => source.at(name));
  for (const path of paths) {
    if (path.isEmpty) continue;
    nonReservedPath(path);
    unique(path.value ?? '', path.value ?? '');
  }
  if (paths.every(path => path.isEmpty))
    source.required('specify at least one of credentialBundlePath, keyPath, and certificateChainPath');
}
