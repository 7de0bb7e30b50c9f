/**
 * OpenAPI v2 as `application/com.github.proto-openapi.spec.v2@v1.0+protobuf`, the only format that client-go requests. Messages and numbers
 * are those of gnostic's OpenAPIv2.proto (package openapi.v2).
 */
import type { JsonObject } from '../../../apimachinery/interface.js';
import type { Encode, Message } from './document-protobuf.js';
import * as proto from './document-protobuf.js';

const schema = (number: number): Encode => proto.nested(number, () => schemaFields, 31);

const schemaFields: Message = {
  $ref: proto.string(1),
  format: proto.string(2),
  title: proto.string(3),
  description: proto.string(4),
  default: proto.any(5),
  multipleOf: proto.double(6),
  maximum: proto.double(7),
  exclusiveMaximum: proto.boolean(8),
  minimum: proto.double(9),
  exclusiveMinimum: proto.boolean(10),
  maxLength: proto.integer(11),
  minLength: proto.integer(12),
  pattern: proto.string(13),
  maxItems: proto.integer(14),
  minItems: proto.integer(15),
  uniqueItems: proto.boolean(16),
  maxProperties: proto.integer(17),
  minProperties: proto.integer(18),
  required: proto.each(proto.string(19)),
  enum: proto.each(proto.any(20)),
  additionalProperties: proto.schemaOrBoolean(21, schema),
  type: proto.wrapped(22, proto.string(1)),
  items: proto.wrapped(23, schema(1)),
  allOf: proto.each(schema(24)),
  properties: proto.wrapped(25, proto.named(1, schema)),
  example: proto.any(30),
};

const bodyParameter: Message = {
  description: proto.string(1),
  name: proto.string(2),
  in: proto.string(3),
  required: proto.boolean(4),
  schema: schema(5),
};
const pathParameter: Message = {
  required: proto.boolean(1),
  in: proto.string(2),
  description: proto.string(3),
  name: proto.string(4),
  type: proto.string(5),
  uniqueItems: proto.boolean(19),
};
const queryParameter: Message = {
  required: proto.boolean(1),
  in: proto.string(2),
  description: proto.string(3),
  name: proto.string(4),
  type: proto.string(6),
  uniqueItems: proto.boolean(20),
};

/** ParametersItem { parameter: Parameter { body_parameter, or non_body_parameter: { query or path } } } */
const parameter =
  (number: number): Encode =>
  value => {
    const location = (value as { in: string }).in;
    const nonBody = (field: number, fields: Message): Encode =>
      proto.wrapped(
        2,
        proto.nested(field, () => fields),
      );
    const encode =
      location === 'body'
        ? proto.nested(1, () => bodyParameter)
        : location === 'path'
          ? nonBody(4, pathParameter)
          : nonBody(3, queryParameter);
    return proto.block(number, proto.wrapped(1, encode)(value));
  };

const response: Message = { description: proto.string(1), schema: proto.wrapped(2, schema(1)) };

const operationFields: Message = {
  tags: proto.each(proto.string(1)),
  summary: proto.string(2),
  description: proto.string(3),
  operationId: proto.string(5),
  produces: proto.each(proto.string(6)),
  consumes: proto.each(proto.string(7)),
  parameters: proto.each(parameter(8)),
  responses: proto.wrapped(
    9,
    proto.named(1, number =>
      proto.wrapped(
        number,
        proto.nested(1, () => response),
      ),
    ),
  ),
  schemes: proto.each(proto.string(10)),
};

const operation = (number: number): Encode => proto.nested(number, () => operationFields, 13);

const pathItem: Message = {
  get: operation(2),
  put: operation(3),
  post: operation(4),
  delete: operation(5),
  options: operation(6),
  head: operation(7),
  patch: operation(8),
  parameters: proto.each(parameter(9)),
};

const apiKey: Message = {
  type: proto.string(1),
  name: proto.string(2),
  in: proto.string(3),
  description: proto.string(4),
};

const document: Message = {
  swagger: proto.string(1),
  info: proto.nested(2, () => ({ title: proto.string(1), version: proto.string(2) })),
  paths: proto.wrapped(
    8,
    proto.named(2, number => proto.nested(number, () => pathItem)),
  ),
  definitions: proto.wrapped(9, proto.named(1, schema)),
  security: proto.each(value =>
    proto.block(12, proto.named(1, number => proto.wrapped(number, proto.each(proto.string(1))))(value)),
  ),
  securityDefinitions: proto.wrapped(
    13,
    proto.named(1, number =>
      proto.wrapped(
        number,
        proto.nested(2, () => apiKey),
      ),
    ),
  ),
};

/** Returns the protobuf form of a document of `swaggerDocument`. */
export function swaggerProtobuf(swagger: JsonObject): Buffer {
  return proto.message(document, swagger);
}
