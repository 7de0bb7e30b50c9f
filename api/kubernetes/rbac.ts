import type * as gen from '../../openapi/gen/rbac-v1.js';
import type { Draft, DraftKind } from './draft.js';

export type AggregationRule = Draft<gen.AggregationRule>;
export type ClusterRole = DraftKind<gen.ClusterRole>;
export type ClusterRoleBinding = DraftKind<gen.ClusterRoleBinding>;
export type PolicyRule = Draft<gen.PolicyRule>;
export type Role = DraftKind<gen.Role>;
export type RoleBinding = DraftKind<gen.RoleBinding>;
export type RoleRef = Draft<gen.RoleRef>;
export type Subject = Draft<gen.Subject>;
