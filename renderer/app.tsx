/** The window: frame, the place in it, and everything that belongs to no place: theme, keys, dialogs, toast, live region. */
import { useEffect, useLayoutEffect } from 'react';
import { I18nProvider } from 'react-aria-components';
import type { EngineState, Theme } from '../shared/model/settings';
import { count } from './format';
import { isDirty } from './store/editor';
import { useSelected } from './store/select';
import type { Stores } from './store/stores';
import { Button } from './ui/button';
import { EmptyState } from './ui/emptyState';
import { ErrorBoundary } from './ui/errorBoundary';
import { LiveRegion } from './ui/liveRegion';
import { cycleRegions, focusRegion } from './ui/regions';
import { hasMod, isMac, isTyping } from './ui/shortcut';
import { Toast } from './ui/toast';
import { Banners } from './views/banners';
import { WhyDialog } from './views/detail/whyDialog';
import { EditorPlace } from './views/editor/editorPlace';
import { texts as editorTexts } from './views/editor/texts';
import { GlyphSprite } from './views/glyph';
import { JobsPlace } from './views/jobs/jobsPlace';
import { texts as jobTexts } from './views/jobs/texts';
import { Questions } from './views/questions';
import { Reports } from './views/rescue/reportDialog';
import { RescueView } from './views/rescue/rescueView';
import { Corner, Sidebar, useIsRail, useToggleSidebar } from './views/sidebar';
import { StoresProvider, useStores } from './views/stores';
import { texts } from './views/texts';
import { NewJobButton, PauseAllButton, ThemeButton, TopBar } from './views/topBar';

export function App({ stores }: { stores: Stores }) {
  return (
    <I18nProvider locale="en-GB">
      <StoresProvider stores={stores}>
        <GlyphSprite />
        <ErrorBoundary fallback={(retry) => <Broken onRetry={retry} />}>
          <Screen />
          <Reports />
          <Notices />
        </ErrorBoundary>
      </StoresProvider>
    </I18nProvider>
  );
}

/** After a fault of our own in a view: the stores are untouched, so trying again brings back what was typed. */
function Broken({ onRetry }: { onRetry: () => void }) {
  return (
    <main className="card broken">
      <EmptyState
        title={texts.app.broken}
        actions={
          <Button variant="primary" onPress={onRetry}>
            {texts.app.tryAgain}
          </Button>
        }
      >
        {texts.app.brokenText}
      </EmptyState>
    </main>
  );
}

/** The window, or the way out when the data could not be read: then there is nothing else to see or to do. */
function Screen() {
  const { rescue, status } = useStores();
  const isRefused = useSelected(status, (state) => state.status?.state === 'store_failed');
  const isActing = useSelected(rescue, (state) => state.task === 'act');
  useTheme();
  useTitle();
  if (isRefused || isActing) return <RescueView />;
  return (
    <>
      <Window />
      <Questions />
      <WhyDialog />
    </>
  );
}

function Window() {
  const { place } = useStores();
  const isEditor = useSelected(place, (state) => state.place === 'editor');
  const isRail = useIsRail();
  useKeys();
  return (
    <div
      className={`window${isRail ? ' window-rail' : ''}${isEditor ? ' window-editor' : ''}`}
      data-platform={isMac ? 'mac' : 'other'}
    >
      <SkipLink region={isEditor ? 'form' : 'list'} />
      <Corner />
      {isEditor ? <EditorPlace /> : <JobsWindow />}
    </div>
  );
}

/** First in the page: past the sidebar, to where the work is. */
function SkipLink({ region }: { region: 'form' | 'list' }) {
  return (
    <a className="skip-link" href="#main">
      {region === 'form' ? texts.app.skipToForm : texts.app.skip}
    </a>
  );
}

function JobsWindow() {
  const { jobs } = useStores();
  const total = useSelected(jobs, (state) => state.rows?.length);
  return (
    <>
      <Sidebar />
      <TopBar
        title={jobTexts.title}
        beside={total === undefined ? null : <span className="top-count num">{count(total)}</span>}
      >
        <PauseAllButton />
        <ThemeButton />
        <NewJobButton />
      </TopBar>
      <main className="main" id="main" tabIndex={-1}>
        <Banners />
        <JobsPlace />
      </main>
    </>
  );
}

const DARK = '(prefers-color-scheme: dark)';

/** Sets the theme on the root element, where the tokens look for it. */
function useTheme(): void {
  const { settings } = useStores();
  const theme = useSelected(settings, (state) => state.settings.theme);
  useLayoutEffect(() => {
    const query = window.matchMedia(DARK);
    const apply = (chosen: Theme): void => {
      const isDark = chosen === 'system' ? query.matches : chosen === 'dark';
      document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
    };
    const follow = (): void => apply(theme);
    follow();
    query.addEventListener('change', follow);
    return () => query.removeEventListener('change', follow);
  }, [theme]);
}

function useTitle(): void {
  const { place, editor } = useStores();
  const isEditing = useSelected(place, (state) => state.place === 'editor');
  const name = useSelected(editor, (state) => state.form.name.trim());
  const isUnsaved = useSelected(editor, isDirty);
  useEffect(() => {
    const title = isEditing ? `${isUnsaved ? '• ' : ''}${name || editorTexts.newTitle}` : jobTexts.title;
    document.title = texts.app.titleOf(title);
  }, [isEditing, isUnsaved, name]);
}

/** Whether letters belong to what has the focus: a field, or a list that jumps to what is typed. */
const takesLetters = (target: EventTarget | null): boolean =>
  isTyping(target) ||
  (target instanceof Element && target.closest('[role="menu"], [role="listbox"], [role="dialog"]') !== null);

/** Keys that work everywhere; letters only while nothing is being typed. A held key acts once. */
function useKeys(): void {
  const { place, navigation, notices } = useStores();
  const toggleSidebar = useToggleSidebar();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || place.getState().question !== null) return;
      const isInJobs = place.getState().place === 'jobs';
      const isPlain = !event.metaKey && !event.ctrlKey && !event.altKey;
      const key = event.key.toLowerCase();
      if (event.key === 'F6') cycleRegions(event.shiftKey ? -1 : 1);
      else if (event.repeat) return;
      else if (hasMod(event) && key === 'b') toggleSidebar();
      else if (hasMod(event) && key === 'n') navigation.newJob();
      else if (isInJobs && event.key === 'n' && isPlain && !takesLetters(event.target)) navigation.newJob();
      else if (isInJobs && hasMod(event) && key === 'f') focusRegion('filter');
      else if (isInJobs && hasMod(event) && key === 'z' && !isTyping(event.target)) {
        notices.getState().say(notices.getState().undo() ? texts.app.undone : texts.app.nothingToUndo);
      } else if (isInJobs && event.key === '/' && !isTyping(event.target)) focusRegion('filter');
      else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [place, navigation, notices, toggleSidebar]);
}

const isLeading = (state: EngineState | undefined): boolean => state === 'running' || state === 'paused';

/** Says that the other process has ended by itself and this one took over. What the user asked for is said where it was asked. */
function useTookOverNotice(): void {
  const { status, notices } = useStores();
  useEffect(
    () =>
      status.subscribe((now, before) => {
        if (now.isTakingOver || before.isTakingOver) return;
        if (before.status?.state !== 'standby' || !isLeading(now.status?.state)) return;
        notices.getState().show(texts.banners.tookOver);
      }),
    [status, notices],
  );
}

function Notices() {
  const { notices } = useStores();
  useTookOverNotice();
  const toast = useSelected(notices, (state) => state.toast);
  const announcement = useSelected(notices, (state) => state.announcement);
  const dismiss = useSelected(notices, (state) => state.dismiss);
  return (
    <>
      <LiveRegion announcement={announcement} />
      {toast === null ? null : (
        <Toast
          key={toast.id}
          text={toast.text}
          closeLabel={texts.app.close}
          regionLabel={texts.app.notices}
          onClose={dismiss}
          {...(toast.canUndo
            ? {
                action: {
                  label: texts.app.undo,
                  shortcut: 'mod+z',
                  onChoose: () => void notices.getState().undo(),
                },
              }
            : {})}
        />
      )}
    </>
  );
}
