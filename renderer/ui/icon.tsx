/** An icon of the set at the weight of the text beside it. It says nothing of its own: the name stands in the text. */
import type { LucideIcon } from 'lucide-react';

export function Icon({ of: Drawing, size = 16 }: { of: LucideIcon; size?: number }) {
  return <Drawing className="icon" size={size} strokeWidth={1.5} absoluteStrokeWidth aria-hidden="true" />;
}
