/** The commands and files of simulated containers. */
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { systemClock } from '../../../lib/clock.js';
import { ContainerFiles, FileSpace } from '../../../simulator/kubelet/files.js';
import { containerCommands } from '../../../simulator/kubelet/shell.js';

const files = new ContainerFiles(new FileSpace(), 'p');

/** Runs a script, and returns its exit code and outputs. */
async function run(script: string, { input = '', gone = new AbortController() } = {}) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  stdin.end(input);
  const texts = Promise.all([text(stdout), text(stderr)]);
  const process = {
    ...{ args: ['sh', '-c', script], environment: new Map([['A', 'b c']]), files, folder: '/', stdin, stdout, stderr },
    ...{ signal: gone.signal, size: () => undefined },
  };
  const shell = containerCommands(systemClock).get('sh');
  const code = await shell?.(process).finally(() => {
    stdout.end();
    stderr.end();
  });
  const [out, err] = await texts;
  return { code, out, err };
}

t.test('scripts', async t => {
  const rows: readonly [script: string, out: string, code?: number, err?: string][] = [
    ['echo a  b', 'a b\n'],
    ['echo -n "a  $A"', 'a  b c'],
    ["echo '$A' \\$A ${A} $? $", '$A $A b c 0 $\n'],
    ['X=1; Y=$X$X; echo $Y', '11\n'],
    ['false || echo or && echo and', 'or\nand\n'],
    ['true && false; echo $?', '1\n'],
    ['echo one\necho two # not three', 'one\ntwo\n'],
    ['echo a > /tmp/f; echo b >> /tmp/f; cat < /tmp/f; cat /tmp/f | wc', 'a\nb\n4\n'],
    ['cd /tmp; pwd; cd; pwd', '/tmp\n/root\n'],
    ['cd /none', '', 2, "cd: can't cd to /none\n"],
    ['echo lost > /none/f', '', 1, 'echo: No such file or directory\n'],
    ['echo x > /dev/null', ''],
    ['cat /none 2>&1; echo $?', "cat: can't open '/none': No such file or directory\n1\n"],
    ['cat /none 2>/dev/null', '', 1],
    ['echo err >&2', '', 0, 'err\n'],
    ['nothing', '', 127, 'sh: nothing: not found\n'],
    ['exit 300', '', 44],
    ['false; exit', '', 1],
    ['yes | head -n 2', 'y\ny\n'],
    [
      'mkdir /tmp/d; touch /tmp/d/a /tmp/d/b; ls /tmp/d; rm -r /tmp/d; ls /tmp/d',
      'a\nb\n',
      1,
      'ls: /tmp/d: No such file or directory\n',
    ],
    [
      '[ -d /tmp ] && test -f /etc/hostname && [ a = a ] && [ ! a = b ] && [ -n x ] && test -e /tmp && echo yes',
      'yes\n',
    ],
    ['test -z x', '', 1],
    ['tar cf - -C /etc hostname | tar xf - -C /tmp; cat /tmp/hostname', 'p\n'],
    ['sh -c "echo inner; exit 5"', 'inner\n', 5],
    ['export B=2; env | cat', 'A=b c\nSHLVL=1\nB=2\n'],
    ['echo "sh < /tmp/self" > /tmp/self; sh < /tmp/self', '', 2, 'sh: too many shells in shells\n'],
    ['sleep 0; sleep x', '', 1, "sleep: invalid number 'x'\n"],
    ['stty size', '', 1, 'stty: standard input: not a tty\n'],
    ['while true', '', 2, 'sh: syntax error: "while" is not supported\n'],
    ['echo $(date)', '', 2, 'sh: syntax error: substitutions are not supported\n'],
    ['echo "open', '', 2, 'sh: syntax error: unterminated quoted string\n'],
    ['echo >', '', 2, 'sh: syntax error: a name must follow ">"\n'],
    ['| cat', '', 2, 'sh: syntax error: unexpected "|"\n'],
    ['echo a &', '', 2, 'sh: syntax error: unexpected "&"\n'],
    [`echo ${'x'.repeat(70_000)}`, '', 2, 'sh: the script is too long\n'],
  ];
  for (const [script, out, code = 0, err = ''] of rows)
    t.same(await run(script), { code, out, err }, script.slice(0, 80));
});

t.test('the standard input is read, also as a script', async t => {
  t.same(await run('cat | cat', { input: 'in' }), { code: 0, out: 'in', err: '' });
  t.same(await run('sh', { input: 'echo a\nfalse\necho $?\nexit 4\necho not' }), { code: 4, out: 'a\n1\n', err: '' });
});

t.test('a command ends when its client is gone', async t => {
  for (const script of ['sleep 1000', 'yes']) {
    const gone = new AbortController();
    const running = run(script, { gone });
    setImmediate(() => gone.abort(new Error('gone')));
    await t.rejects(running, { message: script === 'yes' ? /gone|Broken pipe/ : 'gone' });
  }
});

t.test('files are limited by container and by member', async t => {
  const space = new FileSpace();
  const mebibyte = Buffer.alloc(1024 * 1024);
  const containers = Array.from({ length: 5 }, () => new ContainerFiles(space, 'p'));
  const fill = (container: ContainerFiles): number => {
    for (let i = 0; ; i++)
      try {
        container.write(`/tmp/${i}`, mebibyte);
      } catch (error) {
        t.match(error, { message: 'No space left on device' });
        return i;
      }
  };
  t.same(containers.map(fill), [15, 15, 15, 15, 3]);
  containers[0]?.remove('/tmp/1');
  containers[0]?.remove('/tmp/2');
  t.equal(fill(containers[4] as ContainerFiles), 5, 'another container gets the room');
  containers[1]?.clear();
  const last = new ContainerFiles(space, 'p');
  t.equal(fill(last), 15);
  const many = new ContainerFiles(new FileSpace(), 'p');
  t.throws(
    () => {
      for (let i = 0; i < 20_000; i++) many.write(`/tmp/${i}`, Buffer.alloc(0));
    },
    { message: 'No space left on device' },
  );
  t.match(await run('yes > /tmp/full'), { code: 141 });
  t.match(await run('rm /tmp/full'), { code: 0 });
});

t.test('archives with long names, and ones that are cut off', async t => {
  const name = `/tmp/${'long'.repeat(30)}`;
  const { code, out } = await run(
    `mkdir /tmp/from ${name} /tmp/to; echo 1 > ${name}/a; tar cf - -C / .${name} | tar xf - -C /tmp/to; cat /tmp/to${name}/a`,
  );
  t.same([code, out], [0, '1\n']);
  t.match(await run('tar xf -', { input: 'x'.repeat(100) }), { code: 0 });
  t.match(await run('tar xf - -C /none'), { code: 1, err: /can't change directory/ });
  t.match(await run('tar cf - none | wc'), { code: 0, err: /No such file/ });
});
