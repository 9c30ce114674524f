import { runProgram } from './program.ts';

// A reader that has seen enough, such as head, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE')
    process.stderr.write(`error: stdout cannot be written: ${error.message}\n`);
  process.exit(error.code === 'EPIPE' ? process.exitCode : 1);
});
process.exitCode = await runProgram(process.argv.slice(2));
