/** Limits of what other servers may send. A longer answer is cut off, and the call fails with a `BadAnswer`. */

const mebibyte = 1024 * 1024;

/**
 * Maximum bytes of one object, one line of a watch, one group of a discovery document, or any other answer that is read whole. etcd stores
 * at most 1.5 MiB per object by default, and an API server reads requests of at most 3 MiB.
 */
export const maxObjectBytes = 8 * mebibyte;

/** Maximum number of JSON values (members of objects, items of lists) in one of these: the time of parsing depends on them more than on bytes. */
export const maxValues = 100_000;

/** Maximum bytes of an error answer. */
export const maxErrorBytes = mebibyte;

/** Maximum characters of the message of an error, since messages are written to conditions, Events and logs. */
export const maxMessageLength = 8192;

/** Maximum bytes of a list without its items: its type and its metadata. */
export const maxListHeadBytes = 64 * 1024;

/** Maximum bytes of one list that is not read in pages. */
export const maxListBytes = 128 * mebibyte;

/** Maximum bytes of one page of a list, and of a discovery document. */
export const maxPageBytes = 32 * mebibyte;

/** Maximum memory in bytes of the lists of one server while they arrive, and of its mirrors, unless the server's settings say otherwise. */
export const defaultMemoryLimit = 512 * mebibyte;

/** Maximum memory in bytes of a JSON value in addition to its text, on average. */
export const valueSize = 32;

/** Maximum number of requests that wait for a connection. A discovery reads up to 1,000 groups at once. */
export const maxWaiting = 1024;

/** Objects per page. as client-go/tools/pager defaultPageSize */
export const pageSize = 500;

/** Maximum number of pages of one list. */
export const maxPages = 10_000;

/** Maximum number of resources of a server. */
export const maxResources = 20_000;

/** Returns a number of bytes as text: `8 MiB`. */
export const sizeText = (bytes: number): string =>
  bytes % mebibyte === 0 ? `${bytes / mebibyte} MiB` : bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`;
