/**
 * The small shell script between Belfry and a command. It outlives Belfry and writes down how the command ended, so that
 * nothing is lost when Belfry quits, crashes or is updated (D10, ADR 0009).
 */
import fs from 'node:fs';

/** A POSIX shell is here on every system that Belfry starts commands on. */
const PLAIN_SHELL = '/bin/sh';
/** Preferred, because it can close descriptors beyond 9. */
const BASH_PLACES = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/run/current-system/sw/bin/bash'];

export type ShimShell = { readonly path: string; readonly isBash: boolean };

/** The shell that runs the shim; looked up anew each time, because an update of the system may move it. */
export function findShimShell(): ShimShell {
  const bash = BASH_PLACES.find((place) => fs.existsSync(place));
  return bash === undefined ? { path: PLAIN_SHELL, isBash: false } : { path: bash, isBash: true };
}

/** Descriptor on which the shim gets the command's standard error; its own goes nowhere. */
export const SHIM_STDERR = 3;

/**
 * Electron hands its open files on to every child, the socket of the single instance among them: a command that outlives
 * the app would keep it open, and the next start would wait for an app that is gone. So they are closed first. A function,
 * because its positional parameters are not variables. Only bash can name a descriptor of two digits.
 */
const CLOSE_ALL = `belfry_close() {
  while [ "$#" -gt 0 ]; do
    case \${1##*/} in
      [0-${SHIM_STDERR}] | *[!0-9]*) ;;
      *) eval "exec \${1##*/}>&-" ;;
    esac
    shift
  done
}
belfry_close /dev/fd/*
unset -f belfry_close
`;
const CLOSE_SOME = 'exec 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-\n';

/** The exit code of a shell that cannot execute what it found. */
const NOT_STARTED = 126;

/**
 * Arguments: run folder, umask of the user, program, its arguments. Only builtins, because PATH belongs to the job, and
 * no variable of its own, because one that the user exports under the same name would reach the command changed. No text
 * of the user is ever part of the script.
 *
 * The command runs in the foreground of a subshell: a background one would begin with INT and QUIT ignored. TERM, INT and
 * HUP sent to the group are caught with an empty handler, which the subshell does not inherit, and handled after the
 * command has ended. Both files are written with one short `write`, and a reader checks that it has all of it. They are
 * written over what Belfry reserved, because a full disk refuses anything new; a file system that cannot even do that gets
 * a second try with an empty file.
 *
 * A pid that is missing means that the start was revoked. If the pid cannot be noted nothing is started, because what Belfry
 * reserved would go on saying that the command never began.
 */
const shimScript = (isBash: boolean): string => `unset -f belfry_close echo test umask
set +efmu
trap : TERM INT HUP
umask 077
test -e "$1/pid" || exit ${NOT_STARTED}
echo "$$" 1<>"$1/pid" || echo "$$" >"$1/pid" || ! test -s "$1/pid" || exit ${NOT_STARTED}
${isBash ? CLOSE_ALL : CLOSE_SOME}(
  umask "$2"
  shift 2
  exec "$@"
) 2>&${SHIM_STDERR} ${SHIM_STDERR}>&-
set -- "$1" "$?"
echo "$2" 1<>"$1/result" || echo "$2" >"$1/result"
exit "$2"
`;

/** The argument vector after the shell, which must be called `sh` so that every shell behaves as POSIX says. */
export const shimArguments = (order: {
  isBash: boolean;
  runFolder: string;
  umask: number;
  program: string;
  arguments: readonly string[];
}): string[] => [
  '-c',
  shimScript(order.isBash),
  'belfry-run',
  order.runFolder,
  order.umask.toString(8).padStart(4, '0'),
  order.program,
  ...order.arguments,
];

/** The same clean start for a command that does not outlive its question: nothing is written down. */
const plainScript = (isBash: boolean): string => `unset -f belfry_close umask
set +efmu
umask "$1"
shift
exec ${SHIM_STDERR}>&-
${isBash ? CLOSE_ALL : CLOSE_SOME}exec "$@"
`;

/** The argument vector after the shell, as for the shim. */
export const plainArguments = (order: {
  isBash: boolean;
  umask: number;
  program: string;
  arguments: readonly string[];
}): string[] => [
  '-c',
  plainScript(order.isBash),
  'belfry-check',
  order.umask.toString(8).padStart(4, '0'),
  order.program,
  ...order.arguments,
];
