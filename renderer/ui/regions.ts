/** Regions of the window, between which one key jumps. An element is one by its `data-region`. */

const FOCUSABLE =
  '[tabindex="0"], a[href], button:not([disabled]):not([tabindex="-1"]), input:not([disabled]), textarea, select';

const isShown = (element: HTMLElement): boolean => element.getClientRects().length > 0;

const entryOf = (region: HTMLElement): HTMLElement | null =>
  [...region.querySelectorAll<HTMLElement>(`[data-entry] , [data-entry] ${FOCUSABLE}`)].find(
    (element) => element.matches(FOCUSABLE) && isShown(element),
  ) ??
  [...region.querySelectorAll<HTMLElement>(FOCUSABLE)].find(isShown) ??
  null;

/** Moves the focus into a region, to where its own keys work. */
export function focusRegion(name: string): void {
  const region = document.querySelector<HTMLElement>(`[data-region="${name}"]`);
  if (region !== null) entryOf(region)?.focus();
}

/** Moves the focus to the next region in the order of the page, or to the one before. */
export function cycleRegions(direction: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-region]')].filter(
    (region) => isShown(region) && entryOf(region) !== null,
  );
  if (regions.length === 0) return;
  const here = regions.findIndex((region) => region.contains(document.activeElement));
  const start = here < 0 && direction < 0 ? 0 : here;
  const next = regions[(start + direction + regions.length) % regions.length];
  if (next !== undefined) entryOf(next)?.focus();
}
