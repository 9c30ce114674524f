import { BUILD, runLoudly } from './steps.ts';

/**
 * Makes dist/pipewright.js, the operator in one file with nothing to install beside it, and shows
 * what is in it.
 */
process.exitCode = (await runLoudly(BUILD.run)) ? 0 : 1;
