import type { RequestTemplate } from './task.js';

/** Returns the bytes of an HTTP/1.1 request for the indexes of request and connection. */
type RequestBytes = (index: number, connection: number) => Buffer;

type Text = (index: number, connection: number) => string;

/** hot: returns a function that fills the placeholders; the text is split only once. */
export function filled(text: string): Text {
  const parts = text.split(/(\{[iw]\})/);
  if (parts.length === 1) return () => text;
  return (index, connection) => {
    let out = '';
    for (const part of parts) out += part === '{i}' ? index : part === '{w}' ? connection : part;
    return out;
  };
}

/** Returns the function for a template. `common` are the header lines of every request. */
export function requestBytes({ method, path, body, type, accept }: RequestTemplate, common: string): RequestBytes {
  const place = filled(path);
  const content = body === undefined ? undefined : filled(body);
  const lines = `${common}Accept: ${accept ?? 'application/json'}\r\n`;
  return (index, connection) => {
    const head = `${method} ${place(index, connection)} HTTP/1.1\r\n${lines}`;
    if (content === undefined) return Buffer.from(`${head}\r\n`);
    const text = content(index, connection);
    const length = Buffer.byteLength(text);
    return Buffer.from(
      `${head}Content-Type: ${type ?? 'application/json'}\r\nContent-Length: ${length}\r\n\r\n${text}`,
    );
  };
}
