/**
 * The job editor, in place of the list: the sections in one form that scrolls, what the job will do beside it, and the way
 * out below. Nothing that was typed is lost by a mistake, and Save is never disabled.
 */
import {
  type ReactNode,
  type RefObject,
  type UIEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useSelected } from '../../store/select';
import { EmptyState } from '../../ui/emptyState';
import { useIsNarrow } from '../../ui/layout';
import { Pill } from '../../ui/pill';
import { hasMod } from '../../ui/shortcut';
import { SkeletonRows } from '../../ui/skeleton';
import { GlobalBanner } from '../banners';
import { useStores } from '../stores';
import { ThemeButton, TopBar } from '../topBar';
import { ConditionsSection } from './conditionsSection';
import { Footer } from './editorFooter';
import { EditorNotes } from './editorNotes';
import { MistakesProvider, useForm, useMistakes } from './fields';
import { PreviewPane } from './previewPane';
import { EditorRail, SECTIONS, type SectionId } from './rail';
import { useSaveJob } from './saving';
import { texts } from './texts';
import { WhatSection, WhereSection } from './whatSection';
import { WhenSection } from './whenSection';
import { WrongSection } from './wrongSection';

export function EditorPlace() {
  return (
    <MistakesProvider>
      <Editor />
    </MistakesProvider>
  );
}

function Editor() {
  const { editor } = useStores();
  const isLoading = useSelected(editor, (state) => state.isLoading);
  const [section, setSection] = useState<SectionId>('what');
  const body = useRef<HTMLFormElement>(null);
  useEditorKeys();
  useFirstFocus(body, isLoading);
  useStayAt(body, section);
  const go = (id: SectionId): void => {
    setSection(id);
    const target = body.current?.querySelector<HTMLElement>(`[data-section="${id}"]`);
    target?.scrollIntoView({ block: 'start' });
    target?.querySelector<HTMLElement>('input, textarea, button')?.focus({ preventScroll: true });
  };
  return (
    <>
      <EditorRail current={section} onGo={go} />
      <EditorBar />
      <main className="main" id="main" tabIndex={-1}>
        <GlobalBanner />
        <EditorNotes />
        <div className="card editor">
          {isLoading ? (
            <SkeletonRows
              label={texts.loading}
              stillLabel={texts.stillLoading}
              rows={8}
              className="skeleton-fact"
            />
          ) : (
            <Body formRef={body} onSection={setSection} />
          )}
          <Footer />
        </div>
      </main>
    </>
  );
}

/** The first field has the focus once there is one. */
function useFirstFocus(formRef: RefObject<HTMLFormElement | null>, isLoading: boolean): void {
  useEffect(() => {
    if (!isLoading) formRef.current?.querySelector<HTMLElement>('input')?.focus();
  }, [formRef, isLoading]);
}

/** Crossing the narrow width makes something else scroll: the section that is read stays in view. */
function useStayAt(formRef: RefObject<HTMLFormElement | null>, section: SectionId): void {
  const isNarrow = useIsNarrow();
  const drawn = useRef(isNarrow);
  useLayoutEffect(() => {
    if (drawn.current === isNarrow) return;
    drawn.current = isNarrow;
    formRef.current?.querySelector(`[data-section="${section}"]`)?.scrollIntoView({ block: 'start' });
  }, [formRef, isNarrow, section]);
}

function EditorBar() {
  const { editor } = useStores();
  const isNew = useSelected(editor, (state) => state.jobId === null);
  const name = useForm((form) => form.name.trim());
  return (
    <TopBar
      title={name === '' ? (isNew ? texts.newTitle : texts.untitled) : name}
      beside={<Pill tone="idle">{isNew ? texts.pills.new : texts.pills.editing}</Pill>}
    >
      <ThemeButton />
    </TopBar>
  );
}

/** Save from anywhere, and leave with Escape from wherever nothing else claims it. */
function useEditorKeys(): void {
  const { navigation, place } = useStores();
  const save = useSaveJob();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (place.getState().question !== null) return;
      if (hasMod(event) && event.key.toLowerCase() === 's') {
        event.preventDefault();
        void save();
      } else if (event.key === 'Escape' && !event.defaultPrevented) navigation.leaveEditor();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [navigation, place, save]);
}

/** Pixels below the top at which a section counts as the one that is read. */
const READING_LINE = 80;

type BodyProps = { formRef: RefObject<HTMLFormElement | null>; onSection: (id: SectionId) => void };

function Body({ formRef, onSection }: BodyProps) {
  const { editor } = useStores();
  const schedules = useForm((form) => form.schedules);
  const failure = useSelected(editor, (state) => state.failure);
  const hasForm = useSelected(editor, (state) => state.jobId === null || state.revision !== null);
  const [shown, setShown] = useState(0);
  const shownIndex = Math.max(0, Math.min(shown, schedules.length - 1));
  useFirstMistake(formRef, shownIndex, setShown);
  // The form scrolls by itself in wide windows and together with the preview in narrow ones.
  const follow = ({ currentTarget }: UIEvent<HTMLElement>): void => {
    const top = currentTarget.getBoundingClientRect().top + READING_LINE;
    const passed = SECTIONS.filter((id) => {
      const section = currentTarget.querySelector(`[data-section="${id}"]`);
      return section !== null && section.getBoundingClientRect().top <= top;
    });
    onSection(passed.at(-1) ?? 'what');
  };
  if (!hasForm && failure !== null) return <EmptyState title={texts.failed}>{failure.message}</EmptyState>;
  return (
    <div className="editor-body" onScrollCapture={follow}>
      <form
        ref={formRef}
        className="editor-form"
        data-region="form"
        noValidate
        autoComplete="off"
        onSubmit={(event) => event.preventDefault()}
      >
        <Section id="what">
          <WhatSection />
        </Section>
        <Section id="where">
          <WhereSection />
        </Section>
        <Section id="when">
          <WhenSection shownIndex={shownIndex} onShow={setShown} />
        </Section>
        <Section id="only">
          <ConditionsSection />
        </Section>
        <Section id="wrong">
          <WrongSection />
        </Section>
      </form>
      <PreviewPane shownIndex={shownIndex} />
    </div>
  );
}

function Section({ id, children }: { id: SectionId; children: ReactNode }) {
  return (
    <section className="editor-section" data-section={id} aria-labelledby={`section-${id}`}>
      <h2 id={`section-${id}`}>{texts.sections[id]}</h2>
      {children}
    </section>
  );
}

/** After a refused save: shows the schedule with the first mistake, then gives its field the focus. */
function useFirstMistake(
  formRef: RefObject<HTMLFormElement | null>,
  shownIndex: number,
  onShow: (index: number) => void,
): void {
  const { editor } = useStores();
  const refusals = useSelected(editor, (state) => state.refusalCount);
  const mistakes = useMistakes();
  const served = useRef(refusals);
  useLayoutEffect(() => {
    if (served.current === refusals) return;
    const fields = [...(formRef.current?.querySelectorAll<HTMLElement>('[data-path]') ?? [])];
    const first = fields.find((field) => (field.dataset.path ?? '') in mistakes);
    const hidden = Object.keys(mistakes)
      .map((path) => /^schedules\.(\d+)\./.exec(path)?.[1])
      .find((index) => index !== undefined && Number(index) !== shownIndex);
    if (first === undefined && hidden !== undefined) {
      onShow(Number(hidden));
      return;
    }
    served.current = refusals;
    const control =
      first?.querySelector<HTMLElement>('input, textarea') ?? first?.querySelector<HTMLElement>('button');
    control?.focus();
    first?.scrollIntoView({ block: 'nearest' });
  }, [formRef, refusals, mistakes, shownIndex, onShow]);
}
