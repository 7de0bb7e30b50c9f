import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { bindingDefaults, bindingPrinter, bindingRules } from './bindings.js';
import { rbacGroup, rbacStrategy } from './rules.js';

export const roleBinding: NativeKind = {
  group: rbacGroup,
  kind: 'RoleBinding',
  printer: bindingPrinter,
  defaults: bindingDefaults,
  strategy: strategy(rbacStrategy, bindingRules(['Role', 'ClusterRole'], true)),
};
