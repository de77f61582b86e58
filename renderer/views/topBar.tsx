/** The bar over the content: where this is, how many, and the actions that concern everything. */
import { Monitor, Moon, Play, Plus, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Theme } from '../../shared/model/settings';
import { useSelected } from '../store/select';
import { Button, IconButton } from '../ui/button';
import { PauseIcon } from '../ui/icon';
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

export function PauseAllButton() {
  const { status, notices } = useStores();
  const isPaused = useSelected(status, (state) => state.status?.state === 'paused');
  const toggle = async (): Promise<void> => {
    const reply = await status.getState().setPaused(!isPaused);
    if (!reply.ok) notices.getState().show(reply.error.message);
  };
  return (
    <IconButton
      icon={isPaused ? Play : PauseIcon}
      label={isPaused ? words.resumeAll : words.pauseAll}
      onPress={() => void toggle()}
    />
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
