/**
 * Reads just enough of a shell line to know which program it begins with. Everything that needs a shell to understand
 * (expansions, groups, keywords) is answered with null: a wrong warning is worse than none.
 */

/** Words that every shell runs itself, or that begin a construct: there is no program to look for. */
const OWN_WORDS = new Set(
  (
    '. : [ [[ ! { ( ' +
    'alias bg bind break builtin case cd command continue coproc declare dirs disown do done echo elif else enable esac ' +
    'eval exec exit export false fc fg fi for function getopts hash help history if in jobs kill let local logout ' +
    'popd printf pushd pwd read readonly return select set shift shopt source suspend test then time times trap true ' +
    'type typeset ulimit umask unalias unset until wait while ' +
    'autoload emulate noglob nocorrect print rehash setopt unsetopt vared whence zmodload ' +
    'abbr and argparse begin builtin contains count end funced math not or string status switch'
  ).split(' '),
);

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=/;

/** The first word that names a program, after assignments; null if there is none or only the shell can tell. */
export function firstProgram(line: string): string | null {
  let rest = line;
  for (;;) {
    // A line may begin with comments and empty lines.
    rest = rest.replace(/^(?:\s+|#[^\n]*(?:\n|$))+/, '');
    const isAssignment = ASSIGNMENT.test(rest);
    const word = readWord(rest);
    if (word === null) return null;
    if (!isAssignment) return word.text === '' || OWN_WORDS.has(word.text) ? null : word.text;
    rest = rest.slice(word.length);
    // `A=1` alone, or followed by `;`, assigns and runs nothing.
    if (/^\s*(?:[;&|\n]|$)/.test(rest)) return null;
  }
}

/** One word with its quotes taken off; null where an expansion, a pattern or an open quote makes it unknowable. */
function readWord(text: string): { text: string; length: number } | null {
  let word = '';
  let index = 0;
  while (index < text.length) {
    const rest = text.slice(index);
    const quoted = /^'([^']*)'|^"([^"\\$`]*)"|^\\([^\n])/.exec(rest);
    if (quoted !== null) {
      word += quoted[1] ?? quoted[2] ?? quoted[3] ?? '';
      index += quoted[0].length;
      continue;
    }
    const char = rest.charAt(0);
    if (/[\s;&|<>]/.test(char)) break;
    if (/["'\\$`*?[\](){}]/.test(char) && !/^(?:\[\[?|!|\{)(?:\s|$)/.test(rest)) return null;
    word += char;
    index += 1;
  }
  return { text: word, length: index };
}
