/** The sections of the editor with a tick, a warning or a dot and one line each, so that the whole job can be read here. */
import { Check, ChevronLeft, Circle, TriangleAlert } from 'lucide-react';
import { kindSummary } from '../../../shared/kinds/registry';
import { LOCAL_ZONE } from '../../../shared/model/schedule';
import { cityOf, counted, span } from '../../format';
import type { EditorState } from '../../store/editor';
import type { JobForm, Mistakes } from '../../store/jobForm';
import { currentAnswer, mistakesOf } from '../../store/mistakes';
import type { ScheduleForm } from '../../store/scheduleForm';
import { useSelected } from '../../store/select';
import { readSpan } from '../../store/spanForm';
import { Icon } from '../../ui/icon';
import { useRoving } from '../../ui/roving';
import { useStores } from '../stores';
import { useForm, useMistakes } from './fields';
import { texts as policyTexts } from './policyTexts';
import { texts } from './texts';

const words = texts.summaries;

export const SECTIONS = ['what', 'where', 'when', 'only', 'wrong'] as const;
export type SectionId = (typeof SECTIONS)[number];

type Answers = EditorState['answers'];

/** The section that the field at `path` stands in. */
export function sectionOf(path: string): SectionId {
  if (/^settings\.(folder|variables)/.test(path)) return 'where';
  if (path.startsWith('schedules') || path.startsWith('dates')) return 'when';
  if (path.startsWith('conditions')) return 'only';
  return path.startsWith('policies') ? 'wrong' : 'what';
}

function scheduleSummary(schedule: ScheduleForm, answers: Answers): string {
  const { kind, cron, once } = schedule;
  const answer = currentAnswer(schedule, answers.get(schedule.key));
  if (answer?.valid) return answer.preview.shortSentence;
  const zone = kind === 'cron' ? cron.zone : once.zone;
  const hasZone = (kind === 'cron' || kind === 'once') && zone !== LOCAL_ZONE;
  return `${words.kinds[kind]}${hasZone ? words.zone(cityOf(zone)) : ''}`;
}

/** One line about a section as it stands. */
export function summaryOf(section: SectionId, form: JobForm, answers: Answers): string {
  switch (section) {
    case 'what':
      return kindSummary(form.settings) || words.nothing;
    case 'where': {
      const { folder, variables } = form.settings;
      const more = variables.length === 0 ? '' : words.variables(counted(variables.length, 'variable'));
      return `${folder === '' ? words.home : folder}${more}`;
    }
    case 'when': {
      const [first] = form.schedules;
      if (first === undefined) return words.byHand;
      if (form.schedules.length > 1) return words.many(counted(form.schedules.length, 'schedule'));
      const isEmpty = first.kind === 'cron' && first.cron.expression.trim() === '';
      return isEmpty ? words.notSet : scheduleSummary(first, answers);
    }
    case 'only': {
      const [first] = form.conditions;
      if (first === undefined) return words.noCondition;
      return form.conditions.length > 1
        ? words.conditions(counted(form.conditions.length, 'condition'))
        : policyTexts.conditions.kinds[first.kind];
    }
    case 'wrong': {
      const ms = form.timeout.isOn ? readSpan(form.timeout.span) : null;
      const limit = ms === null ? words.noLimit : words.limit(span(ms));
      return `${limit}${words.missed[form.catchUp]}${form.retry.isOn ? words.retries : ''}`;
    }
  }
}

type Mark = 'tick' | 'warning' | 'dot';

const ICONS = { tick: Check, warning: TriangleAlert, dot: Circle } as const;

/** A warning only for what is shown as a mistake; what is merely unfinished is a dot. */
const markOf = (section: SectionId, shown: Mistakes, all: Mistakes): Mark => {
  const isHere = (path: string): boolean => sectionOf(path) === section;
  if (Object.keys(shown).some(isHere)) return 'warning';
  return Object.keys(all).some(isHere) ? 'dot' : 'tick';
};

type RailProps = { current: SectionId; onGo: (section: SectionId) => void };

export function EditorRail({ current, onGo }: RailProps) {
  const { editor, navigation } = useStores();
  const form = useForm((all) => all);
  const answers = useSelected(editor, (state) => state.answers);
  const initial = useSelected(editor, (state) => state.initial);
  const shown = useMistakes();
  const all = mistakesOf({ form, answers, initial });
  const roving = useRoving(current);
  return (
    <nav
      className="sidebar editor-rail"
      aria-label={texts.rail.label}
      data-region="sidebar"
      onKeyDown={roving.onKeyDown}
    >
      {SECTIONS.map((section) => {
        const mark = markOf(section, shown, all);
        return (
          <button
            key={section}
            type="button"
            className={`step step-${mark}`}
            aria-current={section === current ? 'step' : undefined}
            title={texts.railSections[section]}
            onClick={() => onGo(section)}
            {...roving.button(section)}
          >
            <Icon of={ICONS[mark]} />
            <span className="step-label">{texts.railSections[section]}</span>
            <span className="sr">{texts.rail[mark]}</span>
            <small className="ellipsis">{summaryOf(section, form, answers)}</small>
          </button>
        );
      })}
      <button
        type="button"
        className="nav rail-back"
        title={texts.rail.back}
        onClick={() => navigation.leaveEditor()}
        {...roving.button('back')}
      >
        <Icon of={ChevronLeft} />
        <span className="nav-label">{texts.rail.back}</span>
      </button>
    </nav>
  );
}
