/**
 * Schemas of native kinds (built from `openapi/facts`), of CRDs (from `spec.versions[].schema`) and of Karmada's kinds.
 * A schema is a graph without $ref: a native type that contains itself is a cycle of objects, with lazily resolved `properties`.
 */

import type { Int64 } from '../../lib/json/json.js';

type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

export interface Schema {
  readonly type?: SchemaType;
  readonly format?: string;
  readonly description?: string;
  /** For native kinds in the order of the fields of the Go type, which is the order of their JSON. */
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: Int64;
  readonly maxLength?: Int64;
  readonly pattern?: string;
  readonly minItems?: Int64;
  readonly maxItems?: Int64;
  readonly uniqueItems?: boolean;
  readonly minProperties?: Int64;
  readonly maxProperties?: Int64;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  /** Strategic merge patch: 'merge', 'retainKeys', 'merge,retainKeys', 'replace'. Native kinds only. */
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
  readonly 'x-kubernetes-unions'?: unknown;

  /** The name of the native type (`io.k8s.api.apps.v1.DeploymentSpec`), which is the key of its facts; unset in CRD schemas. */
  readonly typeName?: string;
  /** A native type with its own encoding as JSON, whose canonical form may differ from the JSON that was sent. */
  readonly scalar?:
    'quantity' | 'time' | 'microTime' | 'duration' | 'intOrString' | 'rawExtension' | 'json' | 'fieldsV1';
  /**
   * How Go writes the field if it has the zero value; native kinds only.
   * 'pointer': left out unless set, also to zero; 'omitempty': the zero value (false, 0, '', [], {}) is left out;
   * 'always': the zero value is written ('' , 0, false, null for lists and maps, {} for structs).
   */
  readonly presence?: 'pointer' | 'omitempty' | 'always';
}

export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: 'FieldValueInvalid' | 'FieldValueRequired' | 'FieldValueForbidden' | 'FieldValueDuplicate';
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}
