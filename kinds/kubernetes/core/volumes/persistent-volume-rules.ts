// as pkg/apis/core/validation ValidatePersistentVolume, ValidatePersistentVolumeUpdate
import { posix } from 'node:path';
import { semanticEqual } from '../../../../lib/json/equality.js';
import type { Validate } from '../../../../registry/interface.js';
import type { Field } from '../../../shared/rules/field.js';
import { sameField } from '../../../../registry/strategy/same-value.js';
import { immutable } from '../../../shared/rules/immutable.js';
import { prettyInternal, shownInternal } from '../../../shared/go-text/internal-json.js';
import { dnsSubdomain } from '../../../shared/rules/name-rules.js';
import { unifiedDiff } from '../../../shared/go-text/unified-diff.js';
import { validate, validateChange } from '../../../shared/rules/validate.js';
import { warnings } from '../../../shared/rules/warnings.js';
import type {
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PersistentVolume,
  PersistentVolumeSpec,
  VolumeNodeAffinity,
} from '../../../../api/kubernetes/core.js';
import { nodeSelector } from '../shared/affinity-rules.js';
import { accessModes, volumeModes } from './claim-rules.js';
import { nodeSelectorTermWarnings } from '../shared/node-label-warnings.js';
import { basicQuantity, positiveQuantity } from '../shared/resource-rules.js';
import { shownMap } from '../../../shared/go-text/internal-json.js';
import * as source from './volume-source-rules.js';
import {
  archLabel,
  betaArchLabel,
  betaInstanceTypeLabel,
  betaOsLabel,
  betaRegionLabel,
  betaStorageClassAnnotation,
  betaZoneLabel,
  instanceTypeLabel,
  osLabel,
  regionLabel,
  zoneLabel,
} from '../../../../api/kubernetes/well-known.js';

const reclaimPolicies = ['Delete', 'Recycle', 'Retain'];

type Spec = Field<PersistentVolumeSpec>;
type Rule = (spec: Spec, name: string) => void;
type Kind = keyof PersistentVolumeSpec;

/** The sources of volumes, in the order in which upstream checks them. `as`: the name in the path, if it differs from the field's. */
interface Source {
  readonly kind: Kind;
  readonly rule: Rule;
  readonly second?: string;
}

const from = <K extends Kind>(
  kind: K,
  rule: (field: Field<NonNullable<PersistentVolumeSpec[K]>>) => void,
  path: string = kind,
): Source => ({
  kind,
  rule: spec => rule(spec.at(kind).named(spec, path)),
});

const sources: readonly Source[] = [
  from('hostPath', source.hostPath),
  from('gcePersistentDisk', source.gcePersistentDisk, 'persistentDisk'),
  from('awsElasticBlockStore', source.awsElasticBlockStore),
  from('glusterfs', source.glusterfsPersistent),
  from('flocker', source.flocker),
  from('nfs', source.nfs),
  from('rbd', source.rbd),
  from('quobyte', source.quobyte),
  { ...from('cephfs', source.cephfs), second: 'cephFS' },
  { kind: 'iscsi', rule: (spec, name) => source.iscsiPersistent(spec.at('iscsi'), name) },
  from('cinder', source.cinderPersistent),
  from('fc', source.fc),
  from('flexVolume', source.flexVolume),
  from('azureFile', source.azureFilePersistent),
  from('vsphereVolume', source.vsphereVolume),
  from('photonPersistentDisk', source.photonPersistentDisk),
  from('portworxVolume', source.portworxVolume),
  from('azureDisk', source.azureDisk),
  from('scaleIO', source.scaleIO),
  {
    kind: 'local',
    rule: spec => {
      source.local(spec.at('local'));
      if (!spec.at('nodeAffinity').isSet) spec.at('nodeAffinity').required('Local volume requires node affinity');
    },
  },
  from('storageos', source.storageosPersistent),
  from('csi', source.csiPersistent),
];

function volumeSource(spec: Spec, name: string): void {
  const set = sources.filter(({ kind }) => spec.at(kind).isSet);
  // A second flex volume is not noticed, as upstream.
  for (const [i, { kind, rule, second = kind }] of set.entries()) {
    if (i === 0 || kind === 'flexVolume') rule(spec, name);
    else spec.at(kind).named(spec, second).forbidden('may not specify more than 1 volume type');
  }
  if (set.length === 0) spec.required('must specify a volume type');
}

function capacity(spec: Spec): void {
  const field: Field<Record<string, string | number>> = spec.at('capacity');
  const names = Object.keys(field.value ?? {});
  if (names.length === 0) field.required();
  if (!names.includes('storage') || names.length > 1) field.notSupported(['storage'], shownMap(field.value));
  for (const [, amount] of field.entries()) {
    basicQuantity(amount);
    positiveQuantity(amount);
  }
}

function affinity(field: Field<VolumeNodeAffinity>, old: PersistentVolume | undefined): void {
  if (!field.isSet) return;
  const terms = old?.spec?.nodeAffinity?.required;
  if (field.at('required').isSet) nodeSelector(field.at('required'), hasBadValues(terms?.nodeSelectorTerms));
  else field.at('required').required('must specify required node constraints');
}

const labelValue = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

const hasBadValues = (terms: readonly NodeSelectorTerm[] | undefined): boolean =>
  (terms ?? []).some(term => term.matchExpressions?.some(e => e.values?.some(value => !labelValue.test(value))));

function whole(volume: Field<PersistentVolume>, old: PersistentVolume | undefined): void {
  const spec = volume.at('spec');
  modes(spec);
  capacity(spec);
  const policy = spec.at('persistentVolumeReclaimPolicy');
  if (!policy.isEmpty && !reclaimPolicies.includes(policy.value ?? '')) policy.notSupported(reclaimPolicies);
  affinity(spec.at('nodeAffinity'), old);
  volumeSource(spec, volume.value?.metadata.name ?? '');
  const host = spec.value?.hostPath;
  if (host && posix.normalize(host.path || '.').replace(/(.)\/$/, '$1') === '/' && policy.value === 'Recycle')
    policy.forbidden("may not be 'recycle' for a hostPath mount of '/'");
  if (!spec.at('storageClassName').isEmpty) dnsSubdomain(spec.at('storageClassName'));
  const mode = spec.at('volumeMode');
  if (mode.isSet && !volumeModes.includes(mode.value ?? '')) mode.notSupported(volumeModes);
  attributes(spec);
}

function modes(spec: Spec): void {
  if (spec.at('accessModes').isEmpty) spec.at('accessModes').required();
  accessModes(spec.at('accessModes'));
}

function attributes(spec: Spec): void {
  const name = spec.at('volumeAttributesClassName');
  if (!name.isSet) return;
  if (name.isEmpty) name.required('an empty string is disallowed');
  else dnsSubdomain(name);
  if (!spec.at('csi').isSet) spec.at('csi').required('has to be specified when using volumeAttributesClassName');
}

/** Validates a volume that is part of an attachment, because it has no object of its own. */
export function inlineVolume(spec: Spec): void {
  const context = 'in the context of inline volumes';
  const absent = (...names: readonly Kind[]): void => {
    for (const name of names) if (!spec.at(name).isEmpty) spec.at(name).forbidden(`may not be specified ${context}`);
  };
  if (spec.at('claimRef').isSet) spec.at('claimRef').forbidden(`may not be specified ${context}`);
  absent('capacity');
  if (!spec.at('csi').isSet) spec.at('csi').required(`has to be specified ${context}`);
  modes(spec);
  const [policy, mode] = [spec.at('persistentVolumeReclaimPolicy'), spec.at('volumeMode')];
  if (!policy.isEmpty && policy.value !== 'Retain') policy.forbidden(`may only be Retain ${context}`);
  if (spec.at('nodeAffinity').isSet) spec.at('nodeAffinity').forbidden(`may not be specified ${context}`);
  volumeSource(spec, '');
  absent('storageClassName');
  if (mode.isSet && mode.value !== 'Filesystem')
    mode.forbidden(`may not specify volumeMode other than Filesystem ${context}`);
}

const mountOptions = 'volume.beta.kubernetes.io/mount-options';
const mountable: readonly Kind[] = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
];

// as pkg/volume/validation checkMountOption
function mounting(volume: Field<PersistentVolume>): void {
  const { metadata, spec } = volume.value ?? {};
  if (metadata?.annotations?.[mountOptions] === undefined || mountable.some(kind => spec?.[kind])) return;
  volume.as(`metadata.annotations.${mountOptions}`).forbidden('may not specify mount options for this volume type');
}

/** Ignores the secret for expansion, which may be added later. */
function comparable(spec: PersistentVolumeSpec, old: PersistentVolumeSpec): PersistentVolumeSpec {
  if (!old.csi || old.csi.controllerExpandSecretRef || !spec.csi?.controllerExpandSecretRef) return spec;
  const { controllerExpandSecretRef: _, ...csi } = spec.csi;
  return { ...spec, csi };
}

function change(volume: Field<PersistentVolume>, stored: PersistentVolume): void {
  const spec = volume.at('spec');
  const old = stored.spec ?? {};
  const now = comparable(spec.value ?? {}, old);
  if (sources.some(({ kind }) => !sameField(now[kind], old[kind], spec.at(kind).type))) {
    const [a, b] = [old, now].map(s => prettyInternal('PersistentVolumeSource', s));
    spec
      .as('spec.persistentvolumesource')
      .forbidden(`spec.persistentvolumesource is immutable after creation\n${unifiedDiff(a ?? '', b ?? '')}`);
  }
  immutable(spec.at('volumeMode').as('volumeMode'), old.volumeMode);
  if (old.nodeAffinity && !sameAffinity(now.nodeAffinity, old.nodeAffinity))
    spec
      .at('nodeAffinity')
      .as('nodeAffinity')
      .invalid(
        'field is immutable, except for updating from beta label to GA',
        shownInternal('*VolumeNodeAffinity', now.nodeAffinity),
      );
  if (old.volumeAttributesClassName !== undefined && now.volumeAttributesClassName === undefined)
    spec.at('volumeAttributesClassName').forbidden('update from non-nil value to nil is forbidden');
}

/** Labels that now have final names. */
const renamed: ReadonlyMap<string, string> = new Map([
  [betaZoneLabel, zoneLabel],
  [betaRegionLabel, regionLabel],
  [betaOsLabel, osLabel],
  [betaArchLabel, archLabel],
  [betaInstanceTypeLabel, instanceTypeLabel],
]);

function sameAffinity(now: VolumeNodeAffinity | undefined, old: VolumeNodeAffinity): boolean {
  const terms = now?.required?.nodeSelectorTerms ?? [];
  const before = old.required?.nodeSelectorTerms ?? [];
  if (!now || Boolean(now.required) !== Boolean(old.required) || terms.length !== before.length) return false;
  return terms.every((term, i) => sameTerm(term, before[i] ?? {}));
}

function sameTerm(now: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  return (['matchExpressions', 'matchFields'] as const).every(kind => {
    const [a, b] = [now[kind] ?? [], old[kind] ?? []];
    return a.length === b.length && a.every((requirement, i) => sameRequirement(requirement, b[i] ?? {}));
  });
}

function sameRequirement(now: NodeSelectorRequirement, old: NodeSelectorRequirement): boolean {
  const key = renamed.get(old.key ?? '') === now.key ? now.key : old.key;
  return semanticEqual({ ...now, key: now.key }, { ...old, key });
}

export const persistentVolumeRules: readonly Validate[] = [
  validate<PersistentVolume>(whole),
  validate<PersistentVolume>(mounting),
];

/** Everything is validated twice on updates, as upstream. */
export const persistentVolumeChangeRules: readonly Validate[] = [
  ...persistentVolumeRules,
  validate<PersistentVolume>(whole),
  validateChange<PersistentVolume>(change),
];

const oldAnnotations = {
  [betaStorageClassAnnotation]: 'deprecated since v1.8; use "storageClassName" attribute instead',
  [mountOptions]: 'deprecated since v1.31; use "mountOptions" attribute instead',
};
const deprecatedSources = [
  ['cephfs', 'v1.28, non-functional in v1.31+', 'cephfs'],
  ['photonPersistentDisk', 'v1.11, non-functional in v1.16+', 'photonPersistentDisk'],
  ['scaleIO', 'v1.16, non-functional in v1.22+', 'scaleIO'],
  ['storageos', 'v1.22, non-functional in v1.25+', 'storageOS'],
  ['glusterfs', 'v1.25, non-functional in v1.26+', 'glusterfs'],
  ['rbd', 'v1.28, non-functional in v1.31+', 'rbd'],
] as const;

// as pkg/api/persistentvolume GetWarningsForPersistentVolume
export const persistentVolumeWarnings = warnings<PersistentVolume>((volume, warn) => {
  const spec = volume.at('spec');
  for (const [name, text] of Object.entries(oldAnnotations))
    if (volume.value?.metadata.annotations?.[name] !== undefined) warn(`metadata.annotations[${name}]: ${text}`);
  if (spec.value?.persistentVolumeReclaimPolicy === 'Recycle')
    warn(
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    );
  for (const term of spec.at('nodeAffinity').at('required').at('nodeSelectorTerms').items())
    nodeSelectorTermWarnings(term, false, warn);
  for (const [kind, since, path] of deprecatedSources)
    if (spec.value?.[kind]) warn(`spec.${path}: deprecated in ${since}`);
});
