/**
 * Where the window was, for each display, and a few more things it remembers, in one small file. Whatever is wrong with the
 * file, the window opens at its usual place: this is comfort, never a reason to fail.
 */

import fs from 'node:fs';

export const WINDOW_SIZE = { width: 1200, height: 760 } as const;
export const WINDOW_SIZE_MIN = { width: 720, height: 480 } as const;
export const ZOOM_STEPS = [0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2] as const;
/** Displays that come and go are forgotten beyond this number, the oldest first. */
const DISPLAYS_MAX = 20;

export type Rectangle = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

export type WindowPlace = Rectangle & { readonly isMaximized: boolean };

/** The part of Electron's display that matters here. */
export type Display = { readonly id: number; readonly workArea: Rectangle };

export type WindowMemory = {
  /** By display id, the last used one at the end. */
  readonly places: readonly (readonly [displayId: number, place: WindowPlace])[];
  readonly zoom: number;
  /** The user was told once that there is no tray, and chose to keep the jobs running. */
  readonly runsUnseen: boolean;
};

export const emptyMemory: WindowMemory = { places: [], zoom: 1, runsUnseen: false };

/** Reads what was remembered; what cannot be used is as if it were not there. */
export function parseMemory(text: string): WindowMemory {
  const stored = parseJson(text);
  const places = Array.isArray(stored.places) ? stored.places : [];
  return {
    places: places.filter(isPlaceEntry).slice(-DISPLAYS_MAX),
    zoom: nearestZoom(typeof stored.zoom === 'number' ? stored.zoom : 1),
    runsUnseen: stored.runsUnseen === true,
  };
}

function parseJson(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function isPlaceEntry(entry: unknown): entry is [number, WindowPlace] {
  if (!Array.isArray(entry) || !Number.isInteger(entry[0])) return false;
  const place = entry[1] as Partial<Record<keyof WindowPlace, unknown>> | null | undefined;
  return (
    [place?.x, place?.y, place?.width, place?.height].every(Number.isInteger) &&
    typeof place?.isMaximized === 'boolean'
  );
}

/** The memory with the window's present place; the newest display is last. */
export const rememberPlace = (memory: WindowMemory, displayId: number, place: WindowPlace): WindowMemory => ({
  ...memory,
  places: [
    ...memory.places.filter(([id]) => id !== displayId),
    [displayId, place] satisfies [number, WindowPlace],
  ].slice(-DISPLAYS_MAX),
});

/**
 * Where a window is to open: on the display it was on last, if that one is still there, else on the primary one; as large as
 * it was there, never larger than the display and always wholly on it.
 */
export function placeFor(memory: WindowMemory, displays: readonly Display[], primary: Display): WindowPlace {
  for (const [displayId, place] of memory.places.toReversed()) {
    const display = displays.find(({ id }) => id === displayId);
    if (display !== undefined) return { ...fitInto(place, display.workArea), isMaximized: place.isMaximized };
  }
  const { workArea } = primary;
  const centred = {
    ...WINDOW_SIZE,
    x: workArea.x + Math.round((workArea.width - WINDOW_SIZE.width) / 2),
    y: workArea.y + Math.round((workArea.height - WINDOW_SIZE.height) / 2),
  };
  return { ...fitInto(centred, workArea), isMaximized: false };
}

function fitInto(wanted: Rectangle, area: Rectangle): Rectangle {
  const width = Math.min(Math.max(wanted.width, WINDOW_SIZE_MIN.width), area.width);
  const height = Math.min(Math.max(wanted.height, WINDOW_SIZE_MIN.height), area.height);
  return {
    width,
    height,
    x: Math.min(Math.max(wanted.x, area.x), area.x + area.width - width),
    y: Math.min(Math.max(wanted.y, area.y), area.y + area.height - height),
  };
}

/** The next zoom factor in a direction; 0 goes back to the normal one. */
export function nextZoom(zoom: number, direction: -1 | 0 | 1): number {
  if (direction === 0) return 1;
  const index = (ZOOM_STEPS as readonly number[]).indexOf(nearestZoom(zoom)) + direction;
  return ZOOM_STEPS[Math.min(Math.max(index, 0), ZOOM_STEPS.length - 1)] ?? 1;
}

const nearestZoom = (zoom: number): number =>
  ZOOM_STEPS.reduce<number>(
    (best, step) => (Math.abs(step - zoom) < Math.abs(best - zoom) ? step : best),
    ZOOM_STEPS[0],
  );

/** The memory in its file. */
export interface MemoryFile {
  get(): WindowMemory;
  /** Changes it and writes it, wholly or not at all. */
  change(change: (memory: WindowMemory) => WindowMemory): void;
}

/**
 * `report` hears of a file that cannot be read or written; the memory then lasts as long as the process, as it does without a
 * file (null).
 */
export function openMemoryFile(file: string | null, report: (error: unknown) => void): MemoryFile {
  let memory = emptyMemory;
  try {
    if (file !== null && fs.existsSync(file)) memory = parseMemory(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    report(error);
  }
  return {
    get: () => memory,
    change: (change) => {
      memory = change(memory);
      if (file === null) return;
      try {
        const draft = `${file}.new`;
        fs.writeFileSync(draft, JSON.stringify(memory), { mode: 0o600, flush: true });
        fs.renameSync(draft, file);
      } catch (error) {
        report(error);
      }
    },
  };
}
