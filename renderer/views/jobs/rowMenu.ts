/** What can be done to a job, as menu entries: for the context menu and for the menu of the detail pane. */
import { CircleHelp, Copy, CopyPlus, Pencil, Play, Power, Square, Trash2 } from 'lucide-react';
import type { JobRow } from '../../../shared/model/job';
import type { Navigation } from '../../store/navigation';
import { PauseIcon } from '../../ui/icon';
import type { MenuEntry } from '../../ui/menu';
import type { JobActions } from './actions';
import { isRunning } from './filter';
import { texts } from './texts';

const words = texts.actions;

/** What can be done to a job whose stored form cannot be read: nothing that needs its settings. */
const unreadableEntries = (row: JobRow, actions: JobActions): readonly MenuEntry[] => [
  { id: 'copy_id', label: words.copyId, icon: Copy, onChoose: () => actions.copyId(row.id) },
  'separator',
  removeEntry(row, actions),
];

const removeEntry = (row: JobRow, actions: JobActions): MenuEntry => ({
  id: 'remove',
  label: words.remove,
  icon: Trash2,
  shortcut: 'delete',
  isDanger: true,
  onChoose: () => actions.remove(row.id, row.name),
});

/** The entries that have no button in the detail pane. */
export const lesserEntries = (row: JobRow, actions: JobActions): readonly MenuEntry[] => [
  ...(isRunning(row)
    ? [{ id: 'run_again', label: words.runAgain, icon: Play, onChoose: () => actions.run(row.id, row.name) }]
    : []),
  { id: 'pause', label: words.pause, icon: PauseIcon, onChoose: () => actions.pause(row.id, row.name) },
  { id: 'why', label: words.why, icon: CircleHelp, onChoose: () => actions.why(row.id, row.name) },
  'separator',
  {
    id: 'duplicate',
    label: words.duplicate,
    icon: CopyPlus,
    shortcut: 'mod+d',
    onChoose: () => actions.duplicate(row.id),
  },
  { id: 'copy_id', label: words.copyId, icon: Copy, onChoose: () => actions.copyId(row.id) },
  'separator',
  removeEntry(row, actions),
];

export const rowEntries = (
  row: JobRow,
  actions: JobActions,
  navigation: Navigation,
): readonly MenuEntry[] => {
  if (row.disabledReason === 'quarantined') return unreadableEntries(row, actions);
  return [
    isRunning(row)
      ? {
          id: 'stop',
          label: words.stop,
          icon: Square,
          shortcut: 's',
          onChoose: () => actions.stopJob(row.id, row.name),
        }
      : {
          id: 'run',
          label: words.run,
          icon: Play,
          shortcut: 'r',
          onChoose: () => actions.run(row.id, row.name),
        },
    {
      id: 'edit',
      label: words.edit,
      icon: Pencil,
      shortcut: 'e',
      onChoose: () => navigation.editJob(row.id),
    },
    {
      id: 'enable',
      label: row.isEnabled ? words.disable : words.enable,
      icon: Power,
      shortcut: 'p',
      onChoose: () => actions.setEnabled(row.id, row.name, !row.isEnabled),
    },
    'separator',
    ...lesserEntries(row, actions),
  ];
};
