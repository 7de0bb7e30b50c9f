/** Loaded into the server: at SIGUSR2 it collects its garbage, and says on standard error how much memory it holds then. */
import process from 'node:process';
import v8 from 'node:v8';
import vm from 'node:vm';

process.on('SIGUSR2', () => {
  v8.setFlagsFromString('--expose-gc'); // not before: code that was kept is taken with the same flags only
  (vm.runInNewContext('gc') as () => void)();
  process.stderr.write(`memory: ${JSON.stringify(process.memoryUsage())}\n`);
});
