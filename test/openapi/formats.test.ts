import t from 'tap';
import { formatCheck } from '../../openapi/formats.js';

t.test('formats of strings are checked', async t => {
  const table: Record<string, { yes: string[]; no: string[] }> = {
    uri: { yes: ['http://a.b/c', '/x', 'urn:a:b'], no: ['', 'a b', 'http://a b/', 'x/y'] },
    email: { yes: ['a@b.c', 'Name <a@b>', '"q q"@b'], no: ['a', 'a@', '@b', 'a b@c'] },
    hostname: {
      yes: ['a', 'a-', 'a.example.com', 'b\u00fccher.example.com', '\u20ac', `${'a'.repeat(63)}.com`],
      no: ['', '-a.b', 'a_b', 'a-.com', 'a.b', `${'a'.repeat(64)}.com`, `${'\u00fc'.repeat(32)}.com`],
    },
    ipv4: { yes: ['1.2.3.4'], no: ['1.2.3', '::1', '256.1.1.1'] },
    ipv6: { yes: ['::1'], no: ['1.2.3.4', ':::'] },
    cidr: { yes: ['10.0.0.0/8', '::/0'], no: ['10.0.0.0', '10.0.0.0/33'] },
    mac: { yes: ['01:23:45:67:89:ab', '0123.4567.89ab'], no: ['01:23', '01:23:45:67:89'] },
    uuid: { yes: ['f81d4fae-7dec-11d0-a765-00a0c91e6bf6'], no: ['f81d4fae'] },
    'date-time': {
      yes: ['2024-02-29T12:00:00Z', '2024-01-01t00:00:00.1z', '2024-01-01T00:00:00+01:00'],
      no: ['2023-02-29T12:00:00Z', '2024-01-01', 'noon', '2024-01-01T25:00:00Z'],
    },
    date: { yes: ['2024-02-29'], no: ['2024-2-9', '2024-13-01'] },
    // Matching from every digit would take days for long texts.
    duration: {
      yes: ['1h', '3 days', '5 minutes', '12 34s', 'x 5HR', '1q 2 Weeks', '3wk', '7 µs', '4MILLISECONDS'],
      no: ['', 'x', '5 foos', '1'.repeat(1_000_000), '1q'.repeat(1_000_000), '2 hx', '5wkx'],
    },
    byte: {
      yes: ['YQ==', 'YWI=', 'YWJj', 'YWJjYQ=='],
      no: ['', 'YQ', '!', '====', 'Y===', 'YQ=', 'YWJ', 'YW=j', 'YQ==YQ==', 'YWJj==', 'YWJj\n', 'YW=\n'],
    },
    creditcard: { yes: ['4111 1111 1111 1111'], no: ['4111 1111 1111 1112'] },
    isbn: {
      yes: ['0321751043', '978-0321751041', `0${' -'.repeat(1000)}321751043`],
      no: ['0321751044', '0321751043x'],
    },
    hexcolor: { yes: ['#fff', 'ABCDEF'], no: ['#ffff'] },
    rgbcolor: { yes: ['rgb(255, 0, 9)'], no: ['rgb(256,0,0)'] },
    ssn: { yes: ['123-45-6789'], no: ['123456789'] },
    bsonobjectid: { yes: ['507f1f77bcf86cd799439011'], no: ['507f'] },
    'k8s-short-name': { yes: ['a-b'], no: ['A', 'a.b'] },
    'k8s-long-name': { yes: ['a.b'], no: ['.a'] },
  };
  for (const [format, { yes, no }] of Object.entries(table)) {
    for (const text of yes) t.ok(formatCheck(format)?.(text), `${format} ${text}`);
    for (const text of no) t.notOk(formatCheck(format)?.(text), `${format} not ${text}`);
  }
});
