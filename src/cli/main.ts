import { runProgram } from './program.ts';

// A reader that has seen enough, such as head, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? 0 : 1),
);
process.exitCode = await runProgram(process.argv.slice(2));
