/** A key, as a chip. Hidden from screen readers, which are told by `aria-keyshortcuts`. */
import { type Shortcut, shortcutText } from './shortcut';

export function Kbd({ of }: { of: Shortcut }) {
  return (
    <span className="kbd" aria-hidden="true">
      {shortcutText(of)}
    </span>
  );
}
