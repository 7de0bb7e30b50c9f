import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { rbacGroup, rbacStrategy, validRoleRules } from './rules.js';

export const role: NativeKind = {
  group: rbacGroup,
  kind: 'Role',
  strategy: strategy(rbacStrategy, { validateCreate: [validRoleRules], validateUpdate: [validRoleRules] }),
};
