import { execFile } from 'node:child_process';

/**
 * Fails where the registry knows a vulnerability in a package that ships. A registry that does not
 * answer fails nothing, but that is said.
 */
const { npm_execpath: npm } = process.env;
const [program, ...first] = npm === undefined ? ['npm'] : [process.execPath, npm];
const args = [...first, 'audit', '--omit=dev', '--json', '--fetch-retries=0'];

execFile(program ?? 'npm', args, { timeout: 60_000, killSignal: 'SIGKILL' }, (error, stdout) => {
  // npm exits with 1 for findings and for an error alike; only the report tells them apart.
  if (!stdout.includes('"auditReportVersion"'))
    console.log('the registry did not answer: nobody has looked for known vulnerabilities');
  else if (error) {
    console.log(stdout);
    process.exitCode = 1;
  }
});
