import t from 'tap';
import { caBundleFault } from '../../../registry/strategy/ca-bundle.js';

const certificate = `-----BEGIN CERTIFICATE-----
MIIBbzCCARWgAwIBAgIULgz1ztjL+OC54XdSU0Y3bBwEqjkwCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBdDAgFw0yNjExMjExMTE4MDdaGA8yMTI2MTAyODExMTgwN1ow
DDEKMAgGA1UEAwwBdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABCVrCdac2uQr
Ra2+PaHMMbDFZyaw5WgSw9DrjYF7ItTR6nwbAxie9zZBhweufMEgnlaR6edD6g5O
Hc5sx6g+WJujUzBRMB0GA1UdDgQWBBRyptmXCRdoUqyrbCUOIy9Rbcal3DAfBgNV
HSMEGDAWgBRyptmXCRdoUqyrbCUOIy9Rbcal3DAPBgNVHRMBAf8EBTADAQH/MAoG
CCqGSM49BAMCA0gAMEUCIQDJ0gieAlWkaNBVFxNS0TCm8YQdESZKWKeK9CjLI5u/
1gIgBU+Rvz3C4oedyi1BYYPYM5UBySsdsp9o/O/knongC2s=
-----END CERTIFICATE-----
`;
const block = (label: string, body: string): string => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;
const head = 'unable to load root certificates: ';

t.test('a CA bundle must have a valid certificate', t => {
  const invalid = block('CERTIFICATE', 'AAAA');
  const cases: readonly { name: string; given: string; expect: RegExp | undefined }[] = [
    { name: 'nothing: the system', given: '', expect: undefined },
    { name: 'a certificate', given: certificate, expect: undefined },
    {
      name: 'one valid certificate among invalid ones',
      given: block('CERTIFICATE', 'AAAA') + certificate,
      expect: undefined,
    },
    { name: 'no PEM blocks', given: 'certificate', expect: new RegExp(`^${head}unable to parse bytes as PEM block$`) },
    {
      name: 'no certificate',
      given: block('PRIVATE KEY', 'AAAA'),
      expect: new RegExp(`^${head}no valid certificate authority data seen$`),
    },
    {
      name: 'a certificate after one without an end',
      given: `-----BEGIN X-----\n${certificate}`,
      expect: undefined,
    },
    {
      name: 'many certificates without an end',
      given: '-----BEGIN CERTIFICATE-----\n'.repeat(200),
      expect: new RegExp(`^${head}unable to parse bytes as PEM block$`),
    },
    {
      name: 'a valid certificate after dozens of invalid ones',
      given: invalid.repeat(60) + certificate,
      expect: undefined,
    },
    {
      name: 'a valid certificate after more invalid ones than are tried',
      given: invalid.repeat(199) + certificate,
      expect: new RegExp(`^${head}failed to parse certificate: .`),
    },
    { name: 'the longest bundle', given: certificate.padEnd(262_144, '\n'), expect: undefined },
    { name: 'the most certificates', given: certificate.repeat(200), expect: undefined },
    {
      name: 'more certificates',
      given: certificate.repeat(201),
      expect: new RegExp(`^${head}the CA bundle has more than 200 certificates$`),
    },
    {
      name: 'a longer bundle',
      given: certificate.padEnd(262_145, '\n'),
      expect: new RegExp(`^${head}the CA bundle is longer than 262144 characters$`),
    },
    {
      name: 'a broken certificate',
      given: block('CERTIFICATE', 'AAAA'),
      expect: new RegExp(`^${head}failed to parse certificate: .`),
    },
  ];
  for (const { name, given, expect } of cases) {
    const got = caBundleFault(Buffer.from(given).toString('base64'));
    if (expect) t.match(got, expect, name);
    else t.equal(got, undefined, name);
  }
  t.end();
});
