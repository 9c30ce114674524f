import { BUILD, runQuietly } from './steps.ts';

/** Makes dist/pipewright.js: the operator in one file, with nothing to install beside it. */
process.exitCode = (await runQuietly(BUILD)) ? 0 : 1;
