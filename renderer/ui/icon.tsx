/** An icon of the set at the weight of the text beside it. It says nothing of its own: the name stands in the text. */
import { createLucideIcon, type LucideIcon } from 'lucide-react';

/** Two strokes: the set draws two boxes, which at this size fill up and look bold. */
export const PauseIcon = createLucideIcon('pause-strokes', [
  ['path', { d: 'M8.25 5.25v13.5M15.75 5.25v13.5', key: 'bars' }],
]);

export function Icon({ of: Drawing, size = 16 }: { of: LucideIcon; size?: number }) {
  return <Drawing className="icon" size={size} strokeWidth={1.5} absoluteStrokeWidth aria-hidden="true" />;
}
