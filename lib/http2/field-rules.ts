/** A name in lower case: a token (RFC 9110, section 5.6.2). */
export const fieldName = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;

/** Headers of HTTP/1.1 connections, which are invalid in HTTP/2 (RFC 9113, section 8.2.2). */
export const connectionHeaders: ReadonlySet<string> = new Set([
  ...['connection', 'proxy-connection', 'keep-alive', 'transfer-encoding', 'upgrade'],
]);

/** Matches characters that a header cannot hold. as undici isValidHeaderValue */
export const invalidFieldValue = /[^\t\x20-\x7e\x80-\xff]/;
