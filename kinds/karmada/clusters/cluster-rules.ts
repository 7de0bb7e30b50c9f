/** Validates Clusters. as pkg/apis/cluster/validation */
import { typeInvalid } from '../../../apimachinery/errors/faults.js';
import { parseGoUrl, splitHost } from '../../../lib/go/go-url.js';
import { checkDns1123Label, checkLabelValue, checkPortNum, type Messages } from '../../../apimachinery/meta/names.js';
import type { Field } from '../../shared/rules/field.js';
import { notEmpty } from '../../shared/rules/name-rules.js';
import { resourceModels } from './resource-models.js';
import { taints } from './taint-rules.js';
import type { Cluster, SecretReference } from '../../../api/karmada/types.js';

/** The namespace of a cluster's Works is named after the cluster: 15 characters are left for the prefix. */
const nameMaxLength = 48;

/**
 * Returns what is wrong with the name of a cluster, which becomes part of the name of its execution namespace.
 * as pkg/util/validation ValidateClusterName
 */
export function checkClusterName(name: string): Messages {
  if (name === '') return ['must be not empty'];
  if (Buffer.byteLength(name) > nameMaxLength) return [`must be no more than ${nameMaxLength} characters`];
  return checkDns1123Label(name);
}

/** Validates a field that refers to a cluster. */
export function clusterName(field: Field<string>): void {
  const wrong = checkClusterName(field.value ?? '');
  if (wrong.length > 0) field.invalid(wrong.join(','), field.value ?? '');
}

const syncModes = ['Pull', 'Push'];
const hostForm = '; desired format: hostname, hostname:port, IP or IP:port';

function endpoint(field: Field<string>): void {
  if (field.isEmpty) return;
  const url = parseGoUrl(field.value ?? '');
  if ('error' in url) return field.invalid(`apiEndpoint must be a valid URL: ${url.error}${hostForm}`);
  if (url.host === '') field.invalid(`host must be provided${hostForm}`, '');
  if (url.user !== undefined) field.invalid('user information is not permitted in the URL', url.user);
  if (url.fragment !== '') field.invalid('fragments are not permitted in the URL', url.fragment);
  if (url.rawQuery !== '') field.invalid('query parameters are not permitted in the URL', url.rawQuery);
}

function proxy(field: Field<string>): void {
  if (field.isEmpty) return;
  const url = parseGoUrl(field.value ?? '');
  if ('error' in url) field.invalid(`apiEndpoint must be a valid URL: ${url.error}`);
  else if (!['http', 'https', 'socks5'].includes(url.scheme))
    field.invalid(`unsupported scheme "${url.scheme}", must be http, https, or socks5`);
}

/** Checks the port of a URL if the URL changed. An object that was stored with a wrong port can still be changed and deleted. */
// differs: Karmada takes any digits; no request ever reaches such a cluster
function port(field: Field<string>, before: string | undefined): void {
  if (field.isEmpty || field.value === before) return;
  const url = parseGoUrl(field.value ?? '');
  const text = 'error' in url ? '' : splitHost(url).port;
  if (text === '') return;
  for (const wrong of checkPortNum(Number(text))) field.invalid(`port: ${wrong}`);
}

function secret(reference: Field<SecretReference>): void {
  if (reference.isSet) notEmpty(reference.at('namespace'), reference.at('name'));
}

/** Checks the value of a label that selects clusters. */
function labelValue(field: Field<string>): void {
  const wrong = checkLabelValue(field.value ?? '');
  if (wrong.length > 0) field.invalid(wrong.join('; '));
}

/** Checks the location of a cluster. The field paths of zones are upstream's. */
function whereabouts(spec: Field<Cluster['spec']>): void {
  labelValue(spec.at('provider'));
  labelValue(spec.at('region'));
  const zone = spec.at('zone');
  const zones = spec.at('zones');
  if (!zone.isEmpty && !zones.isEmpty)
    spec.add(typeInvalid(`${spec.path}.spec`, spec.value, 'Zone and Zones cannot co-exist'));
  else if (!zone.isEmpty) labelValue(zone.named(spec, 'Zone'));
  else for (const each of zones.items()) labelValue(each.named(spec, 'Zones'));
}

/** Validates a cluster in its canonical form; the pipeline validates metadata. */
export function cluster(root: Field<Cluster>, old?: Cluster): void {
  const spec = root.at('spec');
  const mode = spec.at('syncMode') as Field<string>;
  if (mode.isEmpty) mode.required();
  if (!syncModes.includes(mode.value ?? '')) mode.notSupported(syncModes);
  endpoint(spec.at('apiEndpoint'));
  port(spec.at('apiEndpoint'), old?.spec.apiEndpoint);
  secret(spec.at('secretRef'));
  secret(spec.at('impersonatorSecretRef'));
  proxy(spec.at('proxyURL'));
  port(spec.at('proxyURL'), old?.spec.proxyURL);
  whereabouts(spec);
  taints(spec.at('taints'));
  resourceModels(spec.at('resourceModels'));
}
