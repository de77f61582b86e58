/**
 * The small shell script between Belfry and a command. It outlives Belfry and writes down how the command ended, so that
 * nothing is lost when Belfry quits, crashes or is updated (D10, ADR 0009).
 */

/** Every system that Belfry starts commands on has a POSIX shell here. */
export const SHIM_SHELL = '/bin/sh';

/** Descriptor on which the shim gets the command's standard error; its own goes nowhere. */
export const SHIM_STDERR = 3;

/**
 * Arguments: run folder, umask of the user, program, its arguments. Only builtins, because PATH belongs to the job, and
 * no variable of its own, because one that the user exports under the same name would reach the command changed. No text
 * of the user is ever part of the script.
 *
 * The command runs in the foreground of a subshell: a background one would begin with INT and QUIT ignored. TERM, INT and
 * HUP sent to the group are caught with an empty handler, which the subshell does not inherit, and handled after the
 * command has ended. Both files are written with one short `write`, and a reader checks that it has all of it.
 */
export const SHIM_SCRIPT = `unset -f echo umask
set +emu
trap : TERM INT HUP
umask 077
echo "$$" >"$1/pid"
(
  umask "$2"
  shift 2
  exec "$@"
) 2>&${SHIM_STDERR} ${SHIM_STDERR}>&-
set -- "$1" "$?"
echo "$2" >"$1/result"
exit "$2"
`;

/** The argument vector after the shell. */
export const shimArguments = (order: {
  runFolder: string;
  umask: number;
  program: string;
  arguments: readonly string[];
}): string[] => [
  '-c',
  SHIM_SCRIPT,
  'belfry-run',
  order.runFolder,
  order.umask.toString(8).padStart(4, '0'),
  order.program,
  ...order.arguments,
];
