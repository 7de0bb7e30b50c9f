// as pkg/apis/core/validation ValidateSecret, ValidateSecretUpdate
import { parseStrict, valueOf } from '../../../../apimachinery/codec/strict-json.js';
import type { Validate } from '../../../../registry/interface.js';
import { type Field, annotationsOf } from '../../../shared/rules/field.js';
import { immutable } from '../../../shared/rules/immutable.js';
import { validate, validateChange } from '../../../shared/rules/validate.js';
import type { Secret } from '../../../../api/kubernetes/core.js';
import { dataKeys, decodedLength, maxDataBytes, sealed } from './config-map-rules.js';
import { ownValue } from '../../../../lib/collections/own-value.js';
import {
  serviceAccountNameAnnotation,
  serviceAccountTokenSecret,
  tlsSecret,
} from '../../../../api/kubernetes/well-known.js';

/** The rules by type. `data`: the secret's data. */
const rules: Readonly<Record<string, (data: Field<Record<string, string>>, secret: Field<Secret>) => void>> = {
  [serviceAccountTokenSecret]: (_, secret) => {
    const name = annotationsOf(secret).entry(serviceAccountNameAnnotation);
    if (name.isEmpty) name.required();
  },
  'kubernetes.io/dockercfg': data => dockerConfig(data.entry('.dockercfg')),
  'kubernetes.io/dockerconfigjson': data => dockerConfig(data.entry('.dockerconfigjson')),
  'kubernetes.io/basic-auth': data => {
    const [user, password] = [data.entry('username'), data.entry('password')];
    if (user.isSet || password.isSet) return;
    user.required();
    password.required();
  },
  'kubernetes.io/ssh-auth': data => {
    const key = data.entry('ssh-privatekey');
    if (key.isEmpty) key.required();
  },
  [tlsSecret]: data => {
    for (const name of ['tls.crt', 'tls.key']) if (!data.entry(name).isSet) data.entry(name).required();
  },
};

function dockerConfig(entry: Field<string>): void {
  if (!entry.isSet) {
    entry.required();
    return;
  }
  const error = objectError(Buffer.from(entry.value ?? '', 'base64').toString());
  if (error !== undefined) entry.invalid(error, '<secret contents redacted>');
}

/** Returns Go's text if a JSON object cannot be read; undefined if it can. */
function objectError(text: string): string | undefined {
  let value: unknown;
  try {
    value = valueOf(parseStrict(text));
  } catch (error) {
    return (error as Error).message;
  }
  if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined;
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
}

function whole(secret: Field<Secret>): void {
  const data = secret.at('data');
  dataKeys(data);
  let size = 0;
  for (const value of Object.values(data.value ?? {})) size += decodedLength(value);
  if (size > maxDataBytes) data.tooLong(maxDataBytes);
  ownValue(rules, secret.value?.type ?? '')?.(data, secret);
}

export const secretRules: readonly Validate[] = [validate<Secret>(whole)];

export const secretChangeRules: readonly Validate[] = [
  validateChange<Secret>((secret, old) => {
    immutable(secret.at('type'), old.type);
    sealed(secret, old, ['data']);
  }),
  ...secretRules,
];
