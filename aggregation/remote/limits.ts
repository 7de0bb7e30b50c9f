/** How much another server may send us. A server that sends more is cut off and the call fails with a `BadAnswer`. */

const mebibyte = 1024 * 1024;

/**
 * Bytes of one object, one line of a watch, one group of a discovery document, or any other answer that is read whole. etcd stores at
 * most 1.5 MiB per object by default, and an API server reads requests of at most 3 MiB.
 */
export const largestObject = 8 * mebibyte;

/** JSON values (members of objects, items of lists) of one of these. They, more than bytes, are what parsing takes its time for. */
export const maxValues = 100_000;

/** Bytes of an answer that is an error; longer ones are known by their status code alone. */
export const largestError = mebibyte;

/** Characters of the message of an error that are kept. Messages end up in conditions, Events and logs. */
export const longestMessage = 8192;

/** Bytes of a list besides its items: its type and its metadata. */
export const largestListHead = 64 * 1024;

/** Bytes of one list that is not read in pages. */
export const largestList = 128 * mebibyte;

/** Bytes of one page of a list, and of a discovery document. */
export const largestPage = 32 * mebibyte;

/** Bytes of memory that the lists of one server may take while they arrive. */
export const maxArriving = 512 * mebibyte;

/** Bytes of memory that a JSON value takes at most beside its text, on average. */
export const valueSize = 32;

/** Objects that are asked for at a time. as client-go/tools/pager defaultPageSize */
export const pageSize = 500;

/** Pages of one list. */
export const maxPages = 10_000;

/** Resources that a server may serve. */
export const maxResources = 20_000;

/** `8 MiB` */
export const sizeText = (bytes: number): string =>
  bytes % mebibyte === 0 ? `${bytes / mebibyte} MiB` : bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`;
