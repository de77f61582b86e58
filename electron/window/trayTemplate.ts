/** The tray's menu in Electron's words, with what each entry does when it is clicked. */

import type { MenuItemConstructorOptions } from 'electron';
import type { JobId } from '../../shared/model/job';
import { assertNever } from '../../shared/result';
import type { TrayAction, TrayEntry } from './trayModel';

export type TrayActions = Readonly<Record<TrayAction, () => void>> & {
  readonly openJob: (jobId: JobId) => void;
  readonly runJob: (jobId: JobId) => void;
};

/** An ampersand would be taken for the mark of a shortcut letter. */
const plain = (label: string): string => label.replaceAll('&', '&&');

export const menuTemplate = (
  entries: readonly TrayEntry[],
  actions: TrayActions,
): MenuItemConstructorOptions[] => entries.map((entry) => entryTemplate(entry, actions));

function entryTemplate(entry: TrayEntry, actions: TrayActions): MenuItemConstructorOptions {
  switch (entry.kind) {
    case 'separator':
      return { type: 'separator' };
    case 'line':
      return { label: plain(entry.label), enabled: false };
    case 'job':
      return { label: plain(entry.label), click: () => actions.openJob(entry.jobId) };
    case 'runnable':
      return {
        label: entry.label,
        submenu: entry.jobs.map(({ label, jobId }) => ({
          label: plain(label),
          click: () => actions.runJob(jobId),
        })),
      };
    case 'action':
      return { label: entry.label, click: actions[entry.action] };
    default:
      return assertNever(entry);
  }
}
