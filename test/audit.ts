import { execFile } from 'node:child_process';
import accepted from './bundle/accepted.json' with { type: 'json' };

/**
 * `node test/audit.ts [milliseconds]`: fails where the registry knows a vulnerability in a package
 * that is in a bundle. Those are no `dependencies` (see test/README.md), so npm is asked about all,
 * and what only builds and tests is left out here. A registry that does not say, within this time, fails nothing, but that is said.
 */
interface Report {
  readonly auditReportVersion?: number;
  readonly vulnerabilities?: Readonly<Record<string, Vulnerable>>;
  readonly message?: string;
  readonly error?: { readonly summary: string };
}
interface Vulnerable {
  readonly name: string;
  readonly severity: string;
  /** A text is the name of another vulnerable package, which has a row of its own. */
  readonly via: readonly (string | { readonly title: string; readonly url: string })[];
}

const WAIT_MS = 10_000;
const ARGS = ['audit', '--include=dev', '--json', '--fetch-retries=0'];
const BUNDLED = new Set(Object.values(accepted).flatMap((packages) => Object.keys(packages)));

const waitMs = Number(process.argv[2] ?? WAIT_MS);
const report = await ask();
if (report.auditReportVersion === undefined) {
  const why = report.message ?? report.error?.summary ?? `nothing within ${waitMs / 1000} s`;
  console.log(`the registry did not answer (${why}): nobody has looked for known vulnerabilities`);
}
const found = Object.values(report.vulnerabilities ?? {}).filter(({ name }) => BUNDLED.has(name));
for (const { name, severity, via } of found) console.log(`${name}, ${severity}: ${reasons(via)}`);
if (found.length > 0) process.exitCode = 1;

function reasons(via: Vulnerable['via']): string {
  return via
    .map((one) => (typeof one === 'string' ? `by ${one}` : `${one.title} ${one.url}`))
    .join('; ');
}

/** npm exits with 1 for findings and for an error alike; only the report tells them apart. */
function ask(): Promise<Report> {
  const { npm_execpath: npm } = process.env;
  const [program, ...first] = npm === undefined ? ['npm'] : [process.execPath, npm];
  const options = { timeout: waitMs, killSignal: 'SIGKILL', maxBuffer: 2 ** 26 } as const;
  return new Promise((resolve, reject) => {
    execFile(program ?? 'npm', [...first, ...ARGS], options, (error, stdout) => {
      if (error?.killed) resolve({});
      else if (stdout.trimStart().startsWith('{')) resolve(JSON.parse(stdout) as Report);
      else reject(error ?? new Error(`npm audit printed no report: ${stdout}`));
    });
  });
}
