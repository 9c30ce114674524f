/**
 * The image runs with `node --permission`: no program can be started, and only some files be read.
 * The Dockerfile says which.
 */
export function mayStartPrograms(): boolean {
  return process.permission?.has('child') ?? true;
}

/** What to do about an error of reading a file; nothing where it is not of that kind. */
export function adviceOnDenied(code: string): string | undefined {
  if (code !== 'ERR_ACCESS_DENIED') return undefined;
  return 'the operator of the image reads only what is mounted below /etc/pipewright; mount it there';
}
