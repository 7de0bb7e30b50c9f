/** Parses URLs as Go does, with the texts of its errors. as net/url */
import { goQuote } from './go-text.js';

export interface GoUrl {
  /** Lower case; '' when there is none. */
  readonly scheme: string;
  /** `NAME` or `NAME:PASSWORD`, encoded as in a URL; undefined when there is no `@`. */
  readonly user: string | undefined;
  /** Host and port, decoded. */
  readonly host: string;
  /** Encoded. */
  readonly path: string;
  readonly rawQuery: string;
  /** Decoded. */
  readonly fragment: string;
}

/** Used in this file only; becomes the text of `error`. */
class Refusal extends Error {}

const refuse = (text: string): never => {
  throw new Refusal(text);
};

const badEscape = /%(?![0-9a-fA-F]{2})/;

function checkEscapes(text: string): void {
  const wrong = badEscape.exec(text);
  if (wrong) refuse(`invalid URL escape ${goQuote(text.slice(wrong.index, wrong.index + 3))}`);
}

const percent = 0x25;

/** The value of a hexadecimal digit, given its code. */
const hexValue = (code: number): number => (code <= 0x39 ? code - 0x30 : (code | 0x20) - 0x57);

/** Decodes a text whose escapes are valid. Invalid UTF-8 becomes replacement characters. */
function decode(text: string): string {
  if (!text.includes('%')) return text;
  const bytes = Buffer.from(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    bytes[length++] = byte === percent ? 16 * hexValue(bytes[++at] as number) + hexValue(bytes[++at] as number) : byte;
  }
  return bytes.toString('utf8', 0, length);
}

/** Returns `[scheme, rest]`. */
function splitScheme(text: string): readonly [string, string] {
  if (text.startsWith(':')) refuse('missing protocol scheme');
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1];
  return scheme === undefined ? ['', text] : [scheme.toLowerCase(), text.slice(scheme.length + 1)];
}

/** Matches the first character that a host may not have. Only the percent sign and characters outside of ASCII may be escaped. */
const badInHost = /%(?!25|[89a-fA-F][0-9a-fA-F])|[^%A-Za-z0-9!$&'()*+,;=:[\]<>"\-_.~\x80-\uffff]/;

/** Returns the last index of a character in a text that may be long: a search from the beginning is over ten times as fast as one from the end. */
const lastIndexOf = (text: string, character: string): number =>
  text.includes(character) ? text.lastIndexOf(character) : -1;

function checkHost(host: string): void {
  const isBracketed = host.includes('[');
  const close = isBracketed ? lastIndexOf(host, ']') : -1;
  if (isBracketed && close < 0) refuse("missing ']' in host");
  const colon = isBracketed ? -1 : lastIndexOf(host, ':');
  const port = isBracketed ? host.slice(close + 1) : colon < 0 ? '' : host.slice(colon);
  if (!/^(?::[0-9]*)?$/.test(port)) refuse(`invalid port ${goQuote(port)} after host`);
  const wrong = badInHost.exec(host);
  if (wrong) {
    const escape = host.slice(wrong.index, wrong.index + 3);
    if (wrong[0] === '%') refuse(`invalid URL escape ${goQuote(escape)}`);
    refuse(`invalid character ${goQuote(wrong[0])} in host name`);
  }
}

const encodeUser = (text: string): string =>
  encodeURIComponent(text)
    .replace(/[!'()*]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%(?:24|26|2B|2C|3B|3D)/g, decodeURIComponent);

function checkUser(text: string): void {
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(text)) refuse('net/url: invalid userinfo');
  checkEscapes(text);
}

/** Returns NAME or NAME:PASSWORD as in a URL. */
function userOf(text: string): string {
  const colon = text.indexOf(':');
  const parts = colon < 0 ? [text] : [text.slice(0, colon), text.slice(colon + 1)];
  return parts.map(part => encodeUser(decode(part))).join(':');
}

/** The parts of a valid URL as they are written: most callers want to know only whether it is valid, and texts may be long. */
interface WrittenUrl {
  readonly scheme: string;
  readonly user: string | undefined;
  readonly host: string;
  readonly path: string;
  readonly rawQuery: string;
}

function parseAuthority(authority: string): Pick<WrittenUrl, 'user' | 'host'> {
  const at = lastIndexOf(authority, '@');
  const host = authority.slice(at + 1);
  checkHost(host);
  if (at < 0) return { host, user: undefined };
  const user = authority.slice(0, at);
  checkUser(user);
  return { host, user };
}

const control = /[\0-\x1f\x7f]/;

/** Parses a URL. `request`: it has to be an absolute URL or path, as in a request. */
function parse(text: string, request = false): WrittenUrl {
  const refuseControl = (part: string): void => {
    if (control.test(part)) refuse('net/url: invalid control character in URL');
  };
  let url: WrittenUrl;
  try {
    url = parseParts(text, request);
  } catch (error) {
    refuseControl(text); // A control character is the first reason, whatever else is wrong.
    throw error;
  }
  // `checkHost` allows none in a host, which may be long.
  for (const part of url.host === '' ? [text] : [url.user ?? '', url.path, url.rawQuery]) refuseControl(part);
  return url;
}

function parseParts(text: string, request: boolean): WrittenUrl {
  if (request && text === '') refuse('empty url');
  if (request && text === '*') return { scheme: '', user: undefined, host: '', rawQuery: '', path: '*' };
  const [scheme, afterScheme] = splitScheme(text);
  const question = afterScheme.indexOf('?');
  const rest = question < 0 ? afterScheme : afterScheme.slice(0, question);
  const rawQuery = question < 0 ? '' : afterScheme.slice(question + 1);
  const none = { scheme, user: undefined, host: '', rawQuery };
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...none, path: '' };
    if (request) refuse('invalid URI for request');
    if (rest.split('/')[0]?.includes(':')) refuse('first path segment in URL cannot contain colon');
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || (!request && !rest.startsWith('///')));
  const slash = hasAuthority ? rest.indexOf('/', 2) : 0;
  const path = slash < 0 ? '' : rest.slice(slash);
  const authority = hasAuthority ? parseAuthority(rest.slice(2, slash < 0 ? undefined : slash)) : none;
  checkEscapes(path);
  return { ...none, ...authority, scheme, rawQuery, path };
}

/** Parses a URL. `error` reads `parse "TEXT": REASON`. */
export function parseGoUrl(text: string): GoUrl | { readonly error: string } {
  const hash = text.indexOf('#');
  const main = hash < 0 ? text : text.slice(0, hash);
  const fragment = hash < 0 ? '' : text.slice(hash + 1);
  let reading = main;
  try {
    const url = parse(main);
    reading = text;
    checkEscapes(fragment);
    const user = url.user === undefined ? undefined : userOf(url.user);
    return { ...url, user, host: decode(url.host), fragment: decode(fragment) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { error: `parse ${goQuote(reading)}: ${error.message}` };
  }
}

/** Returns whether a text is an absolute URL or path. as net/url ParseRequestURI */
export function isRequestUri(text: string): boolean {
  try {
    parse(text, true);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** Returns the error of an invalid absolute URL or path, of which a `#` and the text after it are a part. as net/url ParseRequestURI */
export function requestUriError(text: string): string | undefined {
  try {
    parse(text, true);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return `parse ${goQuote(text)}: ${error.message}`;
  }
}

/** Returns the path to send: as it was written if that is a valid encoding, otherwise encoded again. as net/url URL.EscapedPath */
export function escapedPath(url: GoUrl): string {
  if (/^(?:[A-Za-z0-9\-_.~$&+,/:;=@!'()*[\]]|%[0-9A-Fa-f]{2})*$/.test(url.path)) return url.path;
  return encodeURIComponent(decode(url.path))
    .replace(/[!'()*]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%(?:24|26|2B|2C|2F|3A|3B|3D|40)/g, decodeURIComponent);
}

/** Returns the parameters of a query without pairs that cannot be decoded or contain `;`. as net/url URL.Query */
export function queryParameters(url: GoUrl): Map<string, string[]> {
  const out = new Map<string, string[]>();
  for (const pair of url.rawQuery.split('&')) {
    if (pair === '' || pair.includes(';') || badEscape.test(pair)) continue;
    const equals = pair.indexOf('=');
    const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    const [id, text] = [name, value].map(part => decode(part.replaceAll('+', ' '))) as [string, string];
    out.set(id, [...(out.get(id) ?? []), text]);
  }
  return out;
}

/** Splits host and port: the host has no brackets; '' for no port. */
export function splitHost(url: GoUrl): { readonly name: string; readonly port: string } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|(.*?))(?::([0-9]*))?$/s.exec(url.host) ?? [];
  return { name: bracketed ?? plain ?? '', port: port ?? '' };
}
