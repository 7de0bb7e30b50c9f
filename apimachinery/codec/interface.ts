/**
 * Schemas as values. One type serves native kinds (built from `facts/`), CRDs (from `spec.versions[].schema`) and Karmada's kinds.
 * A schema is a graph without $ref: a native type that contains itself is a cycle of objects, with `properties` resolved lazily.
 */

import type { Int64 } from '../../lib/json/json.js';

export type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

export interface Schema {
  readonly type?: SchemaType;
  readonly format?: string;
  readonly description?: string;
  /** Insertion order is the declaration order of the Go type for native kinds: it is the order of their JSON. */
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

  /** The name of the native type (`io.k8s.api.apps.v1.DeploymentSpec`), the key of its facts; absent in CRD schemas. */
  readonly typeName?: string;
  /** Native types that are one JSON scalar with rules of its own: their canonical form is not their literal form. */
  readonly scalar?:
    'quantity' | 'time' | 'microTime' | 'duration' | 'intOrString' | 'rawExtension' | 'json' | 'fieldsV1';
  /**
   * How Go writes the field when it holds the zero value; native kinds only.
   * 'pointer': absent unless set, zero is kept; 'omitempty': the zero value (false, 0, '', [], {}) is dropped;
   * 'always': written even when zero ('' , 0, false, null for lists and maps, {} for structs).
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
