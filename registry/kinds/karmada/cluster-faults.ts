/** What is wrong with a Cluster (inventory API-025). as pkg/apis/cluster/validation */
import type { Fault } from '../../../openapi/interface.js';
import { child, invalidValue, notSupported, required, typeInvalid } from '../../../openapi/meta/faults.js';
import { parseGoUrl } from '../../../openapi/meta/go-url.js';
import { checkDns1123Label, checkLabelValue, type Texts } from '../../../openapi/meta/names.js';
import { resourceModelFaults } from './resource-models.js';
import { taintFaults } from './taints.js';
import type { Cluster, SecretReference } from './types.js';

/** The namespace of a cluster's Works is named after it: 15 characters are left for the prefix. */
const nameMaxLength = 48;

export function checkClusterName(name: string): Texts {
  if (name === '') return ['must be not empty'];
  if (Buffer.byteLength(name) > nameMaxLength) return [`must be no more than ${nameMaxLength} characters`];
  return checkDns1123Label(name);
}

const syncModes = ['Pull', 'Push'];
const hostForm = '; desired format: hostname, hostname:port, IP or IP:port';

function endpointFaults(text: string, path: string): Fault[] {
  const url = parseGoUrl(text);
  if ('error' in url) return [invalidValue(path, text, `apiEndpoint must be a valid URL: ${url.error}${hostForm}`)];
  const faults: Fault[] = [];
  if (url.host === '') faults.push(invalidValue(path, '', `host must be provided${hostForm}`));
  if (url.user !== undefined) faults.push(invalidValue(path, url.user, 'user information is not permitted in the URL'));
  if (url.fragment !== '') faults.push(invalidValue(path, url.fragment, 'fragments are not permitted in the URL'));
  if (url.rawQuery !== '')
    faults.push(invalidValue(path, url.rawQuery, 'query parameters are not permitted in the URL'));
  return faults;
}

function proxyFaults(text: string, path: string): Fault[] {
  const url = parseGoUrl(text);
  if ('error' in url) return [invalidValue(path, text, `apiEndpoint must be a valid URL: ${url.error}`)];
  if (['http', 'https', 'socks5'].includes(url.scheme)) return [];
  return [invalidValue(path, text, `unsupported scheme "${url.scheme}", must be http, https, or socks5`)];
}

function secretFaults(reference: SecretReference | undefined, path: string): Fault[] {
  if (!reference) return [];
  return (['namespace', 'name'] as const).filter(field => !reference[field]).map(field => required(child(path, field)));
}

const labelValueFaults = (value: string, path: string): Fault[] => {
  const wrong = checkLabelValue(value);
  return wrong.length > 0 ? [invalidValue(path, value, wrong.join('; '))] : [];
};

/** Where a cluster is becomes the value of labels. The paths of the zones are upstream's. */
function placeFaults(spec: Cluster['spec']): Fault[] {
  const { provider = '', region = '', zone = '', zones = [] } = spec;
  const faults = [...labelValueFaults(provider, 'spec.provider'), ...labelValueFaults(region, 'spec.region')];
  if (zone !== '' && zones.length > 0)
    return [...faults, typeInvalid('spec.spec', spec, 'Zone and Zones cannot co-exist')];
  if (zone !== '') return [...faults, ...labelValueFaults(zone, 'spec.Zone')];
  return [...faults, ...zones.flatMap(each => labelValueFaults(each, 'spec.Zones'))];
}

/** In the canonical form; metadata is judged by the pipeline. */
export function clusterFaults(cluster: Cluster): Fault[] {
  const { spec } = cluster;
  const { syncMode, apiEndpoint = '', proxyURL = '' } = spec;
  const faults: Fault[] = [];
  if (!syncMode) faults.push(required('spec.syncMode'));
  if (!syncModes.includes(syncMode)) faults.push(notSupported('spec.syncMode', syncMode ?? '', syncModes));
  if (apiEndpoint !== '') faults.push(...endpointFaults(apiEndpoint, 'spec.apiEndpoint'));
  faults.push(...secretFaults(spec.secretRef, 'spec.secretRef'));
  faults.push(...secretFaults(spec.impersonatorSecretRef, 'spec.impersonatorSecretRef'));
  if (proxyURL !== '') faults.push(...proxyFaults(proxyURL, 'spec.proxyURL'));
  faults.push(...placeFaults(spec));
  faults.push(...taintFaults(spec.taints ?? [], 'spec.taints'));
  faults.push(...resourceModelFaults(spec.resourceModels ?? [], 'spec.resourceModels'));
  return faults;
}
