/** The ready-made pauses as menu entries, and the way to every other. */
import type { PauseScope } from '../../shared/model/pause';
import type { MenuEntry } from '../ui/menu';
import type { PauseActions } from './pauseActions';
import { texts } from './pauseTexts';

export const pauseEntries = (
  scope: PauseScope,
  name: string,
  actions: PauseActions,
): readonly MenuEntry[] => [
  { id: 'hour', label: texts.choices.hour, onChoose: () => actions.startFor(scope, name, 'hour') },
  {
    id: 'tomorrow',
    label: texts.choices.tomorrow,
    onChoose: () => actions.startFor(scope, name, 'tomorrow'),
  },
  { id: 'open', label: texts.choices.open, onChoose: () => void actions.start(scope, name, null, '') },
  'separator',
  { id: 'ask', label: texts.menuWithNote, onChoose: () => actions.ask(scope, name) },
];
