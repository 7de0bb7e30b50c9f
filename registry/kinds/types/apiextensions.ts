/**
 * The native types of apiextensions, every field optional: what rules read after decoding. Made from the OpenAPI facts; do not edit.
 */
import type { JsonObject, KubeObject } from '../../../openapi/interface.js';

export interface CustomResourceColumnDefinition {
  description?: string;
  format?: string;
  jsonPath?: string;
  name?: string;
  priority?: number;
  type?: string;
}

export interface CustomResourceConversion {
  strategy?: string;
  webhook?: WebhookConversion;
}

export interface CustomResourceDefinition extends KubeObject {
  spec?: CustomResourceDefinitionSpec;
  status?: CustomResourceDefinitionStatus;
}

export interface CustomResourceDefinitionCondition {
  lastTransitionTime?: string;
  message?: string;
  observedGeneration?: number;
  reason?: string;
  status?: string;
  type?: string;
}

export interface CustomResourceDefinitionNames {
  categories?: string[];
  kind?: string;
  listKind?: string;
  plural?: string;
  shortNames?: string[];
  singular?: string;
}

export interface CustomResourceDefinitionSpec {
  conversion?: CustomResourceConversion;
  group?: string;
  names?: CustomResourceDefinitionNames;
  preserveUnknownFields?: boolean;
  scope?: string;
  versions?: CustomResourceDefinitionVersion[];
}

export interface CustomResourceDefinitionStatus {
  acceptedNames?: CustomResourceDefinitionNames;
  conditions?: CustomResourceDefinitionCondition[];
  observedGeneration?: number;
  storedVersions?: string[];
}

export interface CustomResourceDefinitionVersion {
  additionalPrinterColumns?: CustomResourceColumnDefinition[];
  deprecated?: boolean;
  deprecationWarning?: string;
  name?: string;
  schema?: CustomResourceValidation;
  selectableFields?: SelectableField[];
  served?: boolean;
  storage?: boolean;
  subresources?: CustomResourceSubresources;
}

export interface CustomResourceSubresourceScale {
  labelSelectorPath?: string;
  specReplicasPath?: string;
  statusReplicasPath?: string;
}

export type CustomResourceSubresourceStatus = JsonObject;

export interface CustomResourceSubresources {
  scale?: CustomResourceSubresourceScale;
  status?: CustomResourceSubresourceStatus;
}

export interface CustomResourceValidation {
  openAPIV3Schema?: JSONSchemaProps;
}

export interface ExternalDocumentation {
  description?: string;
  url?: string;
}

export interface JSONSchemaProps {
  $ref?: string;
  $schema?: string;
  additionalItems?: JSONSchemaProps | boolean;
  additionalProperties?: JSONSchemaProps | boolean;
  allOf?: JSONSchemaProps[];
  anyOf?: JSONSchemaProps[];
  default?: unknown;
  definitions?: Record<string, JSONSchemaProps>;
  dependencies?: Record<string, JSONSchemaProps | string[]>;
  description?: string;
  enum?: unknown[];
  example?: unknown;
  exclusiveMaximum?: boolean;
  exclusiveMinimum?: boolean;
  externalDocs?: ExternalDocumentation;
  format?: string;
  id?: string;
  items?: JSONSchemaProps | JSONSchemaProps[];
  maxItems?: number;
  maxLength?: number;
  maxProperties?: number;
  maximum?: number;
  minItems?: number;
  minLength?: number;
  minProperties?: number;
  minimum?: number;
  multipleOf?: number;
  not?: JSONSchemaProps;
  nullable?: boolean;
  oneOf?: JSONSchemaProps[];
  pattern?: string;
  patternProperties?: Record<string, JSONSchemaProps>;
  properties?: Record<string, JSONSchemaProps>;
  required?: string[];
  title?: string;
  type?: string;
  uniqueItems?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-map-type'?: string;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-validations'?: ValidationRule[];
}

export interface SelectableField {
  jsonPath?: string;
}

export interface ServiceReference {
  name?: string;
  namespace?: string;
  path?: string;
  port?: number;
}

export interface ValidationRule {
  fieldPath?: string;
  message?: string;
  messageExpression?: string;
  optionalOldSelf?: boolean;
  reason?: string;
  rule?: string;
}

export interface WebhookClientConfig {
  caBundle?: string;
  service?: ServiceReference;
  url?: string;
}

export interface WebhookConversion {
  clientConfig?: WebhookClientConfig;
  conversionReviewVersions?: string[];
}
