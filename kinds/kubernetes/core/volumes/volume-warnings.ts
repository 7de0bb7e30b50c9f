/** Warns about volumes without effect, and about files of one volume with clashing paths. */
// as pkg/api/pod warningsForPodSpecAndMeta, warningsForOverlappingVirtualPaths
import { goQuote } from '../../../../lib/go/go-text.js';
import type { Field } from '../../../shared/rules/field.js';
import type { Warn } from '../../../shared/rules/warnings.js';
import type { Volume, VolumeProjection } from '../../../../api/kubernetes/core.js';
import { claimSpecWarnings } from './claim-warnings.js';
import { type Place, pathClashes } from './path-clashes.js';

const beforeClaims = [
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
] as const;
const afterClaims = [
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
] as const;

/** Upstream's path, if it is not the name in JSON. */
const shownAs: Readonly<Record<string, string>> = { storageos: 'storageOS' };

/** Warns of kinds of volumes that are deprecated or removed, and of paths that overlap. as pkg/api/pod warningsForPodSpecAndMeta */
export function volumeWarnings(volumes: Field<Volume[]>, warn: Warn): void {
  for (const volume of volumes.items()) {
    const warnAll = (all: typeof beforeClaims | typeof afterClaims): void => {
      for (const [kind, text] of all)
        if (volume.value?.[kind]) warn(`${volume.path}.${shownAs[kind] ?? kind}: ${text}`);
    };
    warnAll(beforeClaims);
    const template = volume.at('ephemeral').at('volumeClaimTemplate');
    if (template.isSet) claimSpecWarnings(template.at('spec'), warn);
    warnAll(afterClaims);
  }
  for (const volume of volumes.value ?? []) overlaps(volume, warn);
}

const placeText = ({ path, source }: Place): string => goQuote(path) + (source === '' ? '' : ` (${source})`);

const clashText = (place: Place, other: Place): string => `${placeText(place)} with ${placeText(other)}`;

function overlaps(volume: Volume, warn: Warn): void {
  const tell = (what: string, lists: readonly (readonly Place[])[]): void => {
    for (const text of pathClashes(lists.flat(), clashText))
      warn(`volume ${goQuote(volume.name ?? '')} (${what}): overlapping paths: ${text}`);
  };
  const { configMap, secret, downwardAPI, projected } = volume;
  if (configMap?.items) tell(`ConfigMap ${goQuote(configMap.name ?? '')}`, [places(configMap.items)]);
  if (secret?.items) tell(`Secret ${goQuote(secret.secretName ?? '')}`, [places(secret.items)]);
  if (downwardAPI?.items) tell('DownwardAPI', [places(downwardAPI.items)]);
  if (!projected) return;
  const lists: Place[][] = [];
  for (const source of projected.sources ?? []) {
    if (Object.keys(source).length === 0)
      warn(`volume ${goQuote(volume.name ?? '')} (Projected) has no sources provided`);
    else lists.push(projectedPlaces(source));
  }
  tell('Projected', lists);
}

function places(items: readonly { readonly path?: string }[], source = ''): Place[] {
  return items.map(({ path = '' }) => ({ path, source }));
}

function projectedPlaces(source: VolumeProjection): Place[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  if (configMap?.items) return places(configMap.items, `ConfigMap ${goQuote(configMap.name ?? '')}`);
  if (secret?.items) return places(secret.items, `Secret ${goQuote(secret.name ?? '')}`);
  if (downwardAPI?.items) return places(downwardAPI.items, 'DownwardAPI');
  if (serviceAccountToken) return places([serviceAccountToken], 'ServiceAccountToken');
  if (clusterTrustBundle) {
    const { name, signerName = '' } = clusterTrustBundle;
    return places([clusterTrustBundle], `ClusterTrustBundle ${goQuote(name ?? signerName)}`);
  }
  const certificate = [
    { path: podCertificate?.certificateChainPath ?? '', source: 'PodCertificate chain' },
    { path: podCertificate?.keyPath ?? '', source: 'PodCertificate key' },
    { path: podCertificate?.credentialBundlePath ?? '', source: 'PodCertificate credential bundle' },
  ];
  return certificate.filter(({ path }) => path !== '');
}
