/** Validates the location of devices, which must be given in exactly one way. */
import { nodeSelector } from '../core/shared/affinity-rules.js';
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
  /** Fields that give the location by being true. */
  readonly flags: readonly ('allNodes' | 'perDeviceNodeSelection')[];
  /** The error text for a nodeName of ''. */
  readonly emptyName: string;
  /** The error text if no location is given. */
  readonly required: string;
  /** The error text for more than one location. */
  readonly several: string;
  readonly selector?: (selector: Field<NonNullable<Device['nodeSelector']>>) => void;
}

/** Requires exactly one way to say where devices are: a node, a selector, all nodes, or each device on its own. */
export function placeRules(field: Field<Placed>, rules: PlaceRules): void {
  const setFields: string[] = [];
  const [node, selector] = [field.at('nodeName'), field.at('nodeSelector')];
  if (node.value === '') node.invalid(rules.emptyName);
  else if (node.isSet) {
    setFields.push('`nodeName`');
    dnsSubdomain(node);
  }
  if (selector.isSet) {
    setFields.push('`nodeSelector`');
    nodeSelector(selector, false);
    rules.selector?.(selector);
  }
  for (const name of rules.flags) {
    const flag = field.at(name);
    if (flag.value === false) flag.invalid('must be either unset or set to true');
    else if (flag.isSet) setFields.push(`\`${name}\``);
  }
  if (setFields.length === 0) field.required(rules.required);
  else if (setFields.length > 1) field.invalid(rules.several, `{${setFields.join(', ')}}`);
}
