/** Validates certificates and requests that clients send. */
import { X509Certificate } from 'node:crypto';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { goQuote } from '../../lib/go/go-text.js';
import { pemBlocks } from '../../apimachinery/x509/pem.js';
import { parseRequest } from '../../apimachinery/x509/request.js';

/**
 * Returns what is wrong unless the first block is a request with a valid signature. as pkg/apis/certificates/validation/validation.go
 * validateCSR
 */
export function requestFault(pem: string): string | undefined {
  try {
    parseRequest(pem);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

/** Returns what is wrong unless the text is '' or certificates only. as pkg/apis/certificates/validation/validation.go validateCertificate */
export function certificateFault(pem: string): string | undefined {
  if (pem === '') return undefined;
  const blocks = pemBlocks(pem);
  for (const { label, der, headed } of blocks) {
    if (label !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${goQuote(label)}`;
    if (headed) return 'no PEM block headers are permitted';
    if (der.length === 0) return 'found CERTIFICATE PEM block containing 0 certificates';
    try {
      new X509Certificate(der);
    } catch (error) {
      return errorText(error);
    }
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}
