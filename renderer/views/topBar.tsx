/** The bar over the content: where this is, how many, and the actions that concern everything. */
import { ChevronDown, Monitor, Moon, Play, Plus, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Theme } from '../../shared/model/settings';
import { useSelected } from '../store/select';
import { Button, IconButton } from '../ui/button';
import { PauseIcon } from '../ui/icon';
import { IconMenu } from '../ui/menu';
import { usePauseActions } from './pauseActions';
import { pauseEntries } from './pauseMenu';
import { texts as pauseTexts } from './pauseTexts';
import { useStores } from './stores';
import { texts } from './texts';

const words = texts.topBar;

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon } as const;

/** Goes through system, light and dark. */
export function ThemeButton() {
  const { settings } = useStores();
  const theme = useSelected(settings, (state) => state.settings.theme);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
  return (
    <IconButton
      icon={THEME_ICONS[theme]}
      label={words.theme[theme]}
      onPress={() => void settings.getState().change({ theme: next })}
    />
  );
}

/** A plain click pauses or resumes; the menu beside it asks for an end and a note. */
export function PauseAllButton() {
  const { status } = useStores();
  const actions = usePauseActions();
  const isPaused = useSelected(status, (state) => state.status?.state === 'paused');
  return (
    <div className="split">
      <IconButton
        icon={isPaused ? Play : PauseIcon}
        label={isPaused ? words.resumeAll : words.pauseAll}
        onPress={() => void (isPaused ? actions.resumeAll() : actions.pauseAll())}
      />
      <IconMenu
        isNarrow
        label={pauseTexts.menu}
        icon={ChevronDown}
        entries={pauseEntries({ kind: 'all' }, '', actions)}
      />
    </div>
  );
}

export function NewJobButton() {
  const { navigation } = useStores();
  return (
    <Button variant="primary" icon={Plus} shortcut="n" onPress={() => navigation.newJob()}>
      {words.newJob}
    </Button>
  );
}

type TopBarProps = { title: string; beside?: ReactNode; children: ReactNode };

export function TopBar({ title, beside, children }: TopBarProps) {
  return (
    <header className="top-bar">
      <h1>{title}</h1>
      {beside}
      <span className="grow" />
      {children}
    </header>
  );
}
