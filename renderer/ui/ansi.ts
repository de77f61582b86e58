/**
 * Colours of terminal output as pieces of text with class names. Only colour and weight survive: every other sequence is
 * taken out, and what a carriage return would have overwritten is not shown.
 */
import Anser from 'anser';

export type Piece = { readonly text: string; readonly className: string };

/** Anything but colour: cursor movement, titles, links, and single-character escapes. */
const OTHER_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-?]*[ -/]*[@-ln-~]|\x1b[()#][0-9A-Za-z]|\x1b[=>78MDEHc]|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]/g;

/** What a terminal would show in the end after progress bars wrote over themselves. */
const lastWritten = (line: string): string => {
  const parts = line.replace(/\r+$/, '').split('\r');
  return parts.findLast((part) => part !== '') ?? '';
};

const BASE: readonly (readonly [name: string, red: number, green: number, blue: number])[] = [
  ['black', 0, 0, 0],
  ['red', 187, 0, 0],
  ['green', 0, 187, 0],
  ['yellow', 187, 187, 0],
  ['blue', 0, 0, 187],
  ['magenta', 187, 0, 187],
  ['cyan', 0, 187, 187],
  ['white', 187, 187, 187],
  ['bright-black', 85, 85, 85],
  ['bright-red', 255, 85, 85],
  ['bright-green', 0, 255, 0],
  ['bright-yellow', 255, 255, 85],
  ['bright-blue', 85, 85, 255],
  ['bright-magenta', 255, 85, 255],
  ['bright-cyan', 85, 255, 255],
  ['bright-white', 255, 255, 255],
];

/** The nearest of the sixteen, since only those are known to be readable on both themes' log surface. */
function nearestName(triple: string): string {
  const [red = 0, green = 0, blue = 0] = triple.split(',').map(Number);
  let best = 'white';
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const [name, r, g, b] of BASE) {
    const distance = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

const PALETTE_STEPS = [0, 95, 135, 175, 215, 255];

/** Entry 16 to 255 of the 256-colour table as `r, g, b`. */
function paletteTriple(index: number): string {
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return `${grey},${grey},${grey}`;
  }
  const cell = index - 16;
  const step = (at: number): number => PALETTE_STEPS[at % 6] ?? 0;
  return `${step(Math.floor(cell / 36))},${step(Math.floor(cell / 6))},${step(cell)}`;
}

/** `ansi-red`, or nothing for the default colour. */
function colourClass(name: string | null, triple: string | null, prefix: string): string {
  if (name === null || name === '') return '';
  if (name === 'ansi-truecolor') return triple === null ? '' : `${prefix}${nearestName(triple)}`;
  const palette = /^ansi-palette-(\d+)$/.exec(name);
  if (palette !== null) return `${prefix}${nearestName(paletteTriple(Number(palette[1])))}`;
  return `${prefix}${name.replace(/^ansi-/, '')}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character starts a colour
const COLOUR_SEQUENCES = /\x1b\[[0-9;:]*m/g;

/** The text alone: for searching, copying and lines without colours. */
export const plainText = (line: string): string =>
  lastWritten(line).replace(OTHER_SEQUENCES, '').replace(COLOUR_SEQUENCES, '').replaceAll('\x1b', '');

/** A line in pieces, each with the classes of its colour and weight. */
export function ansiPieces(line: string): readonly Piece[] {
  const text = lastWritten(line).replace(OTHER_SEQUENCES, '');
  if (!text.includes('\x1b[')) return text === '' ? [] : [{ text, className: '' }];
  return Anser.ansiToJson(text, { json: true, remove_empty: true, use_classes: true }).map((entry) => {
    const isInverse = entry.decorations.includes('reverse');
    const classes = [
      colourClass(entry.fg, entry.fg_truecolor, 'ansi-'),
      colourClass(entry.bg, entry.bg_truecolor, 'ansi-on-'),
      ...entry.decorations
        .filter((name) => name !== 'hidden' && name !== 'blink')
        .map((name) => `ansi-${name}`),
      ...(isInverse ? ['ansi-inverse'] : []),
    ];
    return { text: entry.content.replaceAll('\x1b', ''), className: classes.filter(Boolean).join(' ') };
  });
}
