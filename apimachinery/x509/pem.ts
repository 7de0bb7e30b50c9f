/** PEM blocks (RFC 7468): text around DER. */

interface PemBlock {
  readonly label: string;
  readonly der: Buffer;
  /** Headers such as `Proc-Type: 4,ENCRYPTED` precede the body. */
  readonly headed: boolean;
}

/** Returns every block of a text, in order; other text is skipped. */
export function pemBlocks(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  // A header must not begin with a dash: if every line could be both a block's beginning and a header, matching would be slow.
  for (const [, label = '', headers = '', body = ''] of text.matchAll(
    /^-----BEGIN ([^\r\n]*?)-----[ \t]*\r?\n((?:(?!-)[^\r\n:]*:[^\r\n]*\r?\n)*)([A-Za-z0-9+/=\s]*?)^-----END \1-----/gm,
  )) {
    blocks.push({ label, der: Buffer.from(body, 'base64'), headed: headers !== '' });
  }
  return blocks;
}

/** Returns bytes in PEM, as RFC 7468, section 2. */
export function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
