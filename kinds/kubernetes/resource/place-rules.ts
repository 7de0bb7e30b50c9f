/** Where devices are: said in one way. */
import { nodeSelector } from '../core/pod-spec/affinity-rules.js';
import type { Field } from '../../shared/rules/field.js';
import { dnsSubdomain } from '../../shared/rules/name-rules.js';
import type { Device } from '../../../api/kubernetes/resource.js';

interface Placed {
  nodeName?: string;
  nodeSelector?: NonNullable<Device['nodeSelector']>;
  allNodes?: boolean;
  perDeviceNodeSelection?: boolean;
}

export interface PlaceRules {
  /** Fields that say it by being true. */
  readonly flags: readonly ('allNodes' | 'perDeviceNodeSelection')[];
  /** What is wrong with a nodeName of ''. */
  readonly emptyName: string;
  /** Of what exactly one is required. */
  readonly required: string;
  /** What is wrong with more than one. */
  readonly several: string;
  readonly selector?: (selector: Field<NonNullable<Device['nodeSelector']>>) => void;
}

export function placeRules(field: Field<Placed>, rules: PlaceRules): void {
  const said: string[] = [];
  const [node, selector] = [field.at('nodeName'), field.at('nodeSelector')];
  if (node.value === '') node.invalid(rules.emptyName);
  else if (node.isSet) {
    said.push('`nodeName`');
    dnsSubdomain(node);
  }
  if (selector.isSet) {
    said.push('`nodeSelector`');
    nodeSelector(selector, false);
    rules.selector?.(selector);
  }
  for (const name of rules.flags) {
    const flag = field.at(name);
    if (flag.value === false) flag.invalid('must be either unset or set to true');
    else if (flag.isSet) said.push(`\`${name}\``);
  }
  if (said.length === 0) field.required(rules.required);
  else if (said.length > 1) field.invalid(rules.several, `{${said.join(', ')}}`);
}
