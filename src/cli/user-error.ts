/**
 * Something that the user can mend. The message says what is wrong, with which value, and what to
 * do; it is all that is printed, and the exit code is 1.
 */
export class UserError extends Error {
  override readonly name = 'UserError';
}
