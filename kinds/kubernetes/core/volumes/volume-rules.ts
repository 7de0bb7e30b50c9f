/** Validates the volumes of a pod. */
// as pkg/apis/core/validation ValidateVolumes
import { checkDns1123Subdomain } from '../../../../apimachinery/meta/names.js';
import { goQuote } from '../../../../lib/go/go-text.js';
import type { Field } from '../../../shared/rules/field.js';
import { dnsLabel, notEmpty } from '../../../shared/rules/name-rules.js';
import type { EphemeralVolumeSource, ImageVolumeSource, Volume } from '../../../../api/kubernetes/core.js';
import { claimTemplate } from './claim-rules.js';
import { pullPolicy } from '../shared/pull-policy-rule.js';
import type { PodOptions } from '../shared/pod-options.js';
import { downwardApi, projected } from './projected-volume-rules.js';
import * as source from './volume-source-rules.js';

type SourceName = Exclude<keyof Volume, 'name'>;

interface SourceRule {
  readonly name: SourceName;
  /** Set if upstream's path differs: for the errors of the kind itself, and for the error that there is more than one. */
  readonly path?: string;
  readonly secondPath?: string;
  readonly rule: (field: Field<never>, options: PodOptions) => void;
}

const of = <T>(
  name: SourceName,
  rule: (field: Field<T>, options: PodOptions) => void,
  paths: { readonly path?: string; readonly secondPath?: string } = {},
): SourceRule => ({ name, rule: rule, ...paths });

/** In upstream's order: the first one that is set is used, any others are errors. */
const sources: readonly SourceRule[] = [
  of('hostPath', source.hostPath),
  of('gitRepo', source.gitRepo),
  of('gcePersistentDisk', source.gcePersistentDisk, { path: 'persistentDisk' }),
  of('awsElasticBlockStore', source.awsElasticBlockStore),
  of('secret', source.secret),
  of('nfs', source.nfs),
  of('iscsi', source.iscsi),
  of('glusterfs', source.glusterfs),
  of('flocker', source.flocker),
  of('persistentVolumeClaim', source.persistentVolumeClaim),
  of('rbd', source.rbd),
  of('cinder', source.cinder),
  of('cephfs', source.cephfs, { secondPath: 'cephFS' }),
  of('quobyte', source.quobyte),
  of('downwardAPI', downwardApi, { secondPath: 'downwarAPI' }),
  of('fc', source.fc),
  of('flexVolume', source.flexVolume),
  of('configMap', source.configMap),
  of('azureFile', source.azureFile),
  of('vsphereVolume', source.vsphereVolume),
  of('photonPersistentDisk', source.photonPersistentDisk),
  of('portworxVolume', source.portworxVolume),
  of('azureDisk', source.azureDisk),
  of('storageos', source.storageos),
  of('projected', projected),
  of('scaleIO', source.scaleIO),
  of('csi', source.csi),
  of('ephemeral', ephemeral),
  of('image', image),
];

/**
 * `podName`: the name of a pod, for the claims that its ephemeral volumes create; '' if it has none. Returns the volumes without errors, by
 * name.
 */
export function volumes(list: Field<Volume[]>, podName: string, options: PodOptions): ReadonlyMap<string, Volume> {
  const valid = new Map<string, Volume>();
  const all = list.value ?? [];
  const made = new Set(podName === '' ? [] : all.filter(v => v.ephemeral).map(v => `${podName}-${v.name ?? ''}`));
  for (const volume of list.items()) {
    const name = volume.value?.name ?? '';
    const passes = volume.passes(() => {
      oneVolume(volume, podName, options);
      if (name === '') volume.at('name').required();
      else dnsLabel(volume.at('name'));
      if (valid.has(name)) volume.at('name').duplicate();
    });
    if (passes && volume.value) valid.set(name, volume.value);
    const claim = volume.at('persistentVolumeClaim').at('claimName');
    if (made.has(claim.value ?? ''))
      claim.invalid('must not reference a PVC that gets created for an ephemeral volume');
  }
  return valid;
}

function oneVolume(volume: Field<Volume>, podName: string, options: PodOptions): void {
  let found = 0;
  if (volume.at('emptyDir').isSet) {
    found++;
    source.emptyDir(volume.at('emptyDir'));
  }
  for (const { name, path, secondPath, rule } of sources) {
    const field = volume.at(name) as Field<unknown>;
    if (!field.isSet) continue;
    if (found > 0) field.named(volume, secondPath ?? name).forbidden('may not specify more than 1 volume type');
    else {
      rule((path === undefined ? field : field.named(volume, path)) as Field<never>, options);
      if (name === 'ephemeral') nameOfMadeClaim(volume, podName);
      found++;
    }
    if (name === 'iscsi') source.iscsiPortal(volume.at('iscsi'), volume);
  }
  if (found === 0) volume.required('must specify a volume type');
}

function ephemeral(volume: Field<EphemeralVolumeSource>): void {
  const template = volume.at('volumeClaimTemplate');
  if (template.isSet) claimTemplate(template);
  else template.required();
}

function nameOfMadeClaim(volume: Field<Volume>, podName: string): void {
  const name = volume.value?.name ?? '';
  if (podName === '' || name === '') return;
  const made = `${podName}-${name}`;
  for (const text of checkDns1123Subdomain(made)) volume.at('name').invalid(`PVC name ${goQuote(made)}: ${text}`);
}

function image(volume: Field<ImageVolumeSource>, options: PodOptions): void {
  if (options.isPod) notEmpty(volume.at('reference'));
  pullPolicy(volume.at('pullPolicy'));
}
