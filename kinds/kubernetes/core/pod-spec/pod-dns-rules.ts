// as pkg/apis/core/validation validatePodDNSConfig
import { checkDns1123SubdomainWithUnderscore } from '../../../../apimachinery/meta/names.js';
import type { Field } from '../../../shared/rules/field.js';
import { legacyIp } from '../../../shared/rules/ip-rules.js';
import type { PodSpec } from '../../../../api/kubernetes/core.js';

const maxServers = 3;
const maxSearches = 32;
const maxSearchCharacters = 2048;

/** Validates the DNS settings of a Pod. as pkg/apis/core/validation validatePodDNSConfig */
export function dnsConfig(spec: Field<PodSpec>): void {
  const config = spec.at('dnsConfig');
  const servers = config.at('nameservers');
  if (spec.value?.dnsPolicy === 'None') {
    if (!config.isSet) {
      config.required('must provide `dnsConfig` when `dnsPolicy` is None');
      return;
    }
    if (servers.isEmpty) {
      servers.required('must provide at least one DNS nameserver when `dnsPolicy` is None');
      return;
    }
  }
  if ((servers.value ?? []).length > maxServers) servers.invalid(`must not have more than ${maxServers} nameservers`);
  for (const server of servers.items()) legacyIp(server);
  const searches = config.at('searches');
  const list = searches.value ?? [];
  if (list.length > maxSearches) searches.invalid(`must not have more than ${maxSearches} search paths`);
  if (list.join(' ').length > maxSearchCharacters)
    searches.invalid(`must not have more than ${maxSearchCharacters} characters (including spaces) in the search list`);
  for (const search of searches.items()) {
    const name = (search.value ?? '').replace(/\.$/, '');
    if (search.value !== '.') for (const text of checkDns1123SubdomainWithUnderscore(name)) search.invalid(text, name);
  }
  for (const option of config.at('options').items())
    if (option.at('name').isEmpty) option.required('must not be empty');
}
