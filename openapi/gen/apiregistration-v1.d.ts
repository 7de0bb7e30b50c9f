// Made by `npm run generate`. Do not edit.
import type { components } from './kubernetes.js';
import type { Kind } from './kind.js';
type S = components['schemas'];
export type APIService = Kind<S['io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService']>;
export type APIServiceCondition = S['io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceCondition'];
export type APIServiceList = S['io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceList'];
export type APIServiceSpec = S['io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec'];
export type APIServiceStatus = S['io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus'];
export type ServiceReference = S['io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference'];
