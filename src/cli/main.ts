import packageJson from '../../package.json' with { type: 'json' };
import { runProgram } from './program.ts';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  const { node } = packageJson.engines;
  process.stderr.write(`error: this plugin needs Node ${node}, not ${process.versions.node}\n`);
  process.exit(1);
}

// A reader that has seen enough, such as head, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE')
    process.stderr.write(`error: stdout cannot be written: ${error.message}\n`);
  process.exit(error.code === 'EPIPE' ? process.exitCode : 1);
});
process.exitCode = await runProgram(process.argv.slice(2));
