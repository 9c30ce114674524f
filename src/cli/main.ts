import { runProgram } from './program.ts';
import { watchReaders } from './terminal.ts';

watchReaders();
process.exitCode = await runProgram(process.argv.slice(2));
