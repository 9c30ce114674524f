/** The API's MicroTime has six digits, and is refused with three. */
export function microTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('Z', '000Z');
}
