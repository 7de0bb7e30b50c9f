/** Validates environment variables of containers. */
// as pkg/apis/core/validation ValidateEnv, ValidateEnvFrom
import {
  checkConfigMapKey,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkRelaxedEnvVarName,
  asPrefix,
} from '../../../../../apimachinery/meta/names.js';
import type { Field } from '../../../../shared/rules/field.js';
import { noBacksteps } from '../../../../shared/rules/path-rules.js';
import type { EnvFromSource, EnvVar, FileKeySelector } from '../../../../../api/kubernetes/core.js';
import { fieldRef, resourceFieldRef } from '../../shared/field-ref-rules.js';

/** Sorted. */
const envFieldPaths = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

/**
 * Checks names of variables, which may contain any printable character but `=`, and the sources of values.
 * as pkg/apis/core/validation ValidateEnv
 */
export function env(variables: Field<EnvVar[]>): void {
  for (const variable of variables.items()) {
    const name = variable.at('name');
    if (name.isEmpty) name.required();
    else name.check(checkRelaxedEnvVarName);
    if (variable.at('valueFrom').isSet) valueFrom(variable);
  }
}

function valueFrom(variable: Field<EnvVar>): void {
  const from = variable.at('valueFrom');
  const {
    fieldRef: byField,
    resourceFieldRef: byResource,
    configMapKeyRef,
    secretKeyRef,
    fileKeyRef,
  } = from.value ?? {};
  if (byField) fieldRef(from.at('fieldRef'), envFieldPaths);
  if (byResource) resourceFieldRef(from.at('resourceFieldRef'), { volume: false });
  if (configMapKeyRef) keyOfObject(from.at('configMapKeyRef'));
  if (secretKeyRef) keyOfObject(from.at('secretKeyRef'));
  if (fileKeyRef) keyOfFile(from.at('fileKeyRef'));
  const count = [byField, byResource, configMapKeyRef, secretKeyRef, fileKeyRef].filter(source => source).length;
  if (count === 0)
    from.invalid(
      'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      '',
    );
  else if (variable.value?.value) from.invalid('may not be specified when `value` is not empty', '');
  else if (count > 1) from.invalid('may not have more than one field specified at a time', '');
}

function keyOfObject(ref: Field<{ name?: string; key?: string }>): void {
  ref.at('name').check(checkDns1123Subdomain);
  if (ref.at('key').isEmpty) ref.at('key').required();
  else ref.at('key').check(checkConfigMapKey);
}

function keyOfFile(ref: Field<FileKeySelector>): void {
  if (ref.at('key').isEmpty) ref.at('key').required();
  else ref.at('key').check(checkRelaxedEnvVarName);
  if (ref.at('volumeName').isEmpty) ref.at('volumeName').required();
  else ref.at('volumeName').check(checkDns1123Label);
  if (ref.at('path').isEmpty) ref.at('path').required();
  else noBacksteps(ref.at('path'));
}

/** Requires exactly one source for each item. The names of its keys are not known, and not checked. as pkg/apis/core/validation ValidateEnvFrom */
export function envFrom(sources: Field<EnvFromSource[]>): void {
  for (const source of sources.items()) {
    if (!source.at('prefix').isEmpty) source.at('prefix').check(checkRelaxedEnvVarName);
    const named = (['configMapRef', 'secretRef'] as const).map(kind => source.at(kind)).filter(ref => ref.isSet);
    for (const ref of named) {
      const name: Field<string> = ref.at('name');
      if (name.isEmpty) name.required();
      else name.check(asPrefix(checkDns1123Subdomain));
    }
    if (named.length === 0) sources.invalid('must specify one of: `configMapRef` or `secretRef`', '');
    else if (named.length > 1) sources.invalid('may not have more than one field specified at a time', '');
  }
}
