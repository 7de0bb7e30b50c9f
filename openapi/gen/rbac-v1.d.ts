// Made by `npm run generate`. Do not edit.
import type { components } from './kubernetes.js';
import type { Kind } from './kind.js';
type S = components['schemas'];
export type AggregationRule = S['io.k8s.api.rbac.v1.AggregationRule'];
export type ClusterRole = Kind<S['io.k8s.api.rbac.v1.ClusterRole']>;
export type ClusterRoleBinding = Kind<S['io.k8s.api.rbac.v1.ClusterRoleBinding']>;
export type ClusterRoleBindingList = S['io.k8s.api.rbac.v1.ClusterRoleBindingList'];
export type ClusterRoleList = S['io.k8s.api.rbac.v1.ClusterRoleList'];
export type PolicyRule = S['io.k8s.api.rbac.v1.PolicyRule'];
export type Role = Kind<S['io.k8s.api.rbac.v1.Role']>;
export type RoleBinding = Kind<S['io.k8s.api.rbac.v1.RoleBinding']>;
export type RoleBindingList = S['io.k8s.api.rbac.v1.RoleBindingList'];
export type RoleList = S['io.k8s.api.rbac.v1.RoleList'];
export type RoleRef = S['io.k8s.api.rbac.v1.RoleRef'];
export type Subject = S['io.k8s.api.rbac.v1.Subject'];
