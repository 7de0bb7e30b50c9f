/** Validation of metadata for kinds that validate it after other fields; for the others, the pipeline does it first. */
import type { Strategy, Validate } from '../interface.js';
import { metadataFaults, metadataUpdateFaults, plainFinalizerFaults } from './metadata.js';

/** Returns the rule for the metadata of a new object. as pkg/apis/core/validation ValidateObjectMeta */
export const newMetadata =
  (namespaced: boolean, nameFaults: Strategy['nameFaults']): Validate =>
  ({ metadata }) => [
    ...metadataFaults(metadata, { namespaced, nameFaults }),
    ...plainFinalizerFaults(metadata.finalizers),
  ];

/** The rule for the metadata of a changed object, in which some fields are immutable. as pkg/apis/core/validation ValidateObjectMetaUpdate */
export const changedMetadata: Validate = ({ metadata }, old) => [
  ...(old ? metadataUpdateFaults(metadata, old.metadata) : []),
  ...plainFinalizerFaults(metadata.finalizers),
];
