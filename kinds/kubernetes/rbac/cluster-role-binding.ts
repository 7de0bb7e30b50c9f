import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { bindingDefaults, bindingPrinter, bindingRules } from './bindings.js';
import { rbacGroup, rbacStrategy } from './rules.js';

export const clusterRoleBinding: NativeKind = {
  group: rbacGroup,
  kind: 'ClusterRoleBinding',
  printer: bindingPrinter,
  defaults: bindingDefaults,
  strategy: strategy(rbacStrategy, bindingRules(['ClusterRole'], false)),
};
