/** CertificateSigningRequests: validation errors and warnings. */
import { causes } from './causes.js';

causes('certificatesigningrequests', [
  {
    name: 'an invalid request',
    given: {
      spec: { request: 'eA==', signerName: 'x', usages: ['flying', 'signing', 'signing'], expirationSeconds: 5 },
    },
    expect: [
      'spec.request: Invalid value: "eA==": PEM block type must be CERTIFICATE REQUEST',
      'spec.usages[0]: Unsupported value: "flying": supported values: "any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment", "decipher only", "digital signa…',
      'spec.usages[2]: Duplicate value: "signing"',
      'spec.signerName: Invalid value: "x": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
      'spec.expirationSeconds: Invalid value: 5: may not specify a duration less than 600 seconds (10 minutes)',
    ],
  },
]);
