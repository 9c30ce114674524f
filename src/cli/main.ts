import { enableCompileCache } from 'node:module';
import { runProgram } from './program.ts';

// What V8 has compiled is kept for the next run, where a cache can be written; else it starts
// slower and works the same.
enableCompileCache();
process.exitCode = await runProgram(process.argv.slice(2));
