import t from 'tap';
import {
  escapedPath,
  isRequestUri,
  parseGoUrl,
  queryParameters,
  requestUriError,
  splitHost,
} from '../../../lib/go/go-url.js';

t.test('URLs are parsed as by net/url', async t => {
  const table = [
    {
      given: 'https://a:6443/p?x=1#f',
      expect: { scheme: 'https', host: 'a:6443', path: '/p', rawQuery: 'x=1', fragment: 'f' },
    },
    { given: 'HTTP://u:p%40@a', expect: { scheme: 'http', user: 'u:p%40', host: 'a', path: '' } },
    { given: '10.0.0.1', expect: { scheme: '', host: '', path: '10.0.0.1' } },
    { given: 'localhost:80', expect: { scheme: 'localhost', host: '', path: '' } },
    { given: 'https://[::1]:80', expect: { host: '[::1]:80' } },
    { given: '//h/p', expect: { host: 'h', path: '/p' } },
    { given: 'a?b=://', expect: { scheme: '', rawQuery: 'b=://' } },
    { given: '', expect: { scheme: '', host: '', user: undefined } },
  ];
  for (const { given, expect } of table) t.match(parseGoUrl(given), expect, given);
});

t.test('invalid URLs are refused with the messages of net/url', async t => {
  const table = [
    { given: '://x', expect: 'parse "://x": missing protocol scheme' },
    { given: '10.0.0.1:80', expect: 'parse "10.0.0.1:80": first path segment in URL cannot contain colon' },
    { given: 'http://a b', expect: 'parse "http://a b": invalid character " " in host name' },
    { given: 'http://%41/', expect: 'parse "http://%41/": invalid URL escape "%41"' },
    { given: 'http://%C3%zz/', expect: 'parse "http://%C3%zz/": invalid URL escape "%zz"' },
    { given: 'http://a b%zz/', expect: 'parse "http://a b%zz/": invalid character " " in host name' },
    { given: 'http://a:x', expect: 'parse "http://a:x": invalid port ":x" after host' },
    { given: 'http://[a', expect: 'parse "http://[a": missing \']\' in host' },
    { given: 'http://a/%zz', expect: 'parse "http://a/%zz": invalid URL escape "%zz"' },
    { given: 'http://%41', expect: 'parse "http://%41": invalid URL escape "%41"' },
    { given: 'http://u"@a', expect: 'parse "http://u\\"@a": net/url: invalid userinfo' },
    { given: 'http://a\n', expect: 'parse "http://a\\n": net/url: invalid control character in URL' },
    { given: 'http://a#%', expect: 'parse "http://a#%": invalid URL escape "%"' },
  ];
  for (const { given, expect } of table) t.same(parseGoUrl(given), { error: expect }, given);
});

t.test('request targets are parsed as by url.ParseRequestURI', async t => {
  const table = [
    { given: 'https://a/b', expect: undefined },
    { given: '/a?b#c', expect: undefined },
    { given: '//a:x/b', expect: undefined },
    { given: '*', expect: undefined },
    { given: 'mailto:x', expect: undefined },
    { given: '', expect: 'parse "": empty url' },
    { given: 'a/b', expect: 'parse "a/b": invalid URI for request' },
    { given: 'http://a:x', expect: 'parse "http://a:x": invalid port ":x" after host' },
  ];
  for (const { given, expect } of table) t.equal(requestUriError(given), expect, given);
});

t.test('hosts are decoded', async t => {
  const host = (text: string): unknown => {
    const url = parseGoUrl(text);
    return 'error' in url ? url : url.host;
  };
  t.equal(host('http://%C3%A9%c3%A9%25x/'), 'éé%x');
  t.equal(host('http://%FFa/'), '\ufffda');
  t.ok(isRequestUri(`http://${'%C3'.repeat(300_000)}/`), 'a long one is read once');
});

t.test('path, query and host of a URL are split as by net/url', async t => {
  const parts = (text: string): unknown => {
    const url = parseGoUrl(text);
    if ('error' in url) return url;
    return { path: escapedPath(url), query: Object.fromEntries(queryParameters(url)), ...splitHost(url) };
  };
  t.same(parts('http://h:80/a%20b/c d?x=1&x=2&y+z=%41&;=&%'), {
    path: '/a%20b/c%20d',
    query: { x: ['1', '2'], 'y z': ['A'] },
    name: 'h',
    port: '80',
  });
  t.same(parts("http://[::1]/a!'()*[]"), { path: "/a!'()*[]", query: {}, name: '::1', port: '' });
  t.same(parts('/é"'), { path: '/%C3%A9%22', query: {}, name: '', port: '' });
});
