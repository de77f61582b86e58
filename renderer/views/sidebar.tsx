/**
 * The way between places, the ready-made filters with their live counts, and the heartbeat. Narrow windows show a rail of
 * icons; from there the whole sidebar opens over the content.
 */
import { List, PanelLeft, Play, Tag } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { count } from '../format';
import type { Sidebar as SidebarState } from '../store/place';
import { useSelected } from '../store/select';
import { IconButton } from '../ui/button';
import { Icon, PauseIcon } from '../ui/icon';
import { useIsNarrow } from '../ui/layout';
import { type Roving, useRoving } from '../ui/roving';
import { Bell, Glyph, type GlyphName } from './glyph';
import { Heartbeat, stateLine } from './heartbeat';
import { countRows, tagFilter, viewFilters } from './jobs/filter';
import { usePauseActions } from './pauseActions';
import { texts as pauseTexts } from './pauseTexts';
import { useStores } from './stores';
import { texts } from './texts';

const words = texts.sidebar;

/** Whether only icons are to be seen. */
export function useIsRail(): boolean {
  const { place } = useStores();
  const sidebar = useSelected(place, (state) => state.sidebar);
  const isNarrow = useIsNarrow();
  return isNarrow ? sidebar !== 'over' : sidebar === 'rail';
}

/** The other state of the sidebar at this width. */
export function useToggleSidebar(): () => void {
  const { place } = useStores();
  const isNarrow = useIsNarrow();
  const isRail = useIsRail();
  return () => {
    const opened: SidebarState = isNarrow ? 'over' : 'auto';
    place.getState().change({ sidebar: isRail ? opened : isNarrow ? 'auto' : 'rail' });
  };
}

/** The corner above the sidebar: the mark, unless the system draws its window buttons there. */
export function Corner() {
  const toggle = useToggleSidebar();
  const isRail = useIsRail();
  return (
    <div className="corner">
      <span className="corner-mark" aria-hidden="true">
        <Bell size={18} isRinging />
        {texts.app.name}
      </span>
      <IconButton
        icon={PanelLeft}
        label={isRail ? words.show : words.hide}
        shortcut="mod+b"
        isSmall
        onPress={toggle}
      />
    </div>
  );
}

type LinkProps = {
  stop: ReturnType<Roving['button']>;
  icon: ReactNode;
  label: string;
  count?: string;
  isCurrent: boolean;
  isEmpty?: boolean;
  isPlace?: boolean;
  onPress: () => void;
};

function SidebarLink({ stop, icon, label, count: total, isCurrent, isEmpty, isPlace, onPress }: LinkProps) {
  return (
    <button
      type="button"
      className={`nav${isEmpty ? ' nav-empty' : ''}`}
      onClick={onPress}
      {...stop}
      {...(isPlace ? { 'aria-current': isCurrent ? 'page' : undefined } : { 'aria-pressed': isCurrent })}
    >
      {icon}
      <span className="nav-label">{label}</span>
      {total === undefined ? null : <span className="nav-count num">{total}</span>}
    </button>
  );
}

const VIEWS: readonly (readonly [id: keyof typeof viewFilters, glyph: GlyphName, label: string])[] = [
  ['failing', 'fail', words.failing],
  ['running', 'run', words.running],
  ['late', 'missed', words.late],
  ['paused', 'paused', words.paused],
];

function Filters({ roving }: { roving: Roving }) {
  const { jobs, place } = useStores();
  const rows = useSelected(jobs, (state) => state.rows);
  const filter = useSelected(place, (state) => state.filter);
  const counts = useMemo(() => (rows === null ? null : countRows(rows)), [rows]);
  const link = (icon: ReactNode, label: string, wanted: string, total: number | undefined) => (
    <SidebarLink
      key={wanted}
      stop={roving.button(wanted)}
      icon={icon}
      label={label}
      count={total === undefined ? words.unknown : count(total)}
      isCurrent={filter.trim() === wanted}
      isEmpty={total === 0}
      onPress={() => place.getState().change({ filter: filter.trim() === wanted ? '' : wanted })}
    />
  );
  return (
    <div className="sidebar-filters">
      <h2 id="sidebar-views">{words.views}</h2>
      <div role="group" aria-labelledby="sidebar-views">
        {VIEWS.map(([id, glyph, label]) =>
          link(<Glyph name={glyph} size={14} isDecoration />, label, viewFilters[id], counts?.[id]),
        )}
      </div>
      {counts === null || counts.tags.length === 0 ? null : (
        <>
          <h2 id="sidebar-tags">{words.tags}</h2>
          <div role="group" aria-labelledby="sidebar-tags">
            {counts.tags.map(([tag, total]) => (
              <TagLine
                key={tag}
                tag={tag}
                roving={roving}
                link={link(<Icon of={Tag} size={14} />, tag, tagFilter(tag), total)}
              />
            ))}
          </div>
        </>
      )}
    </div>
  );
}

type TagLineProps = { tag: string; roving: Roving; link: ReactNode };

/** A tag with the button that pauses its jobs, or ends that pause. */
function TagLine({ tag, roving, link }: TagLineProps) {
  const { pauses } = useStores();
  const actions = usePauseActions();
  const all = useSelected(pauses, (state) => state.pauses);
  const own = all.filter(({ scope }) => scope.kind === 'tag' && scope.tag === tag);
  const isPaused = own.length > 0;
  const label = isPaused ? pauseTexts.resumeTag(tag) : pauseTexts.pauseTag(tag);
  return (
    <div className={`nav-line${isPaused ? ' nav-line-paused' : ''}`}>
      {link}
      <button
        type="button"
        className="nav-act"
        aria-label={label}
        title={label}
        onClick={() => (isPaused ? void actions.end(own) : actions.ask({ kind: 'tag', tag }, tag))}
        {...roving.button(`pause ${tag}`)}
      >
        <Icon of={isPaused ? Play : PauseIcon} size={12} />
      </button>
    </div>
  );
}

export function Sidebar() {
  const { jobs, place, status } = useStores();
  const total = useSelected(jobs, (state) => state.rows?.length);
  const filter = useSelected(place, (state) => state.filter);
  const engine = useSelected(status, (state) => state.status);
  const isRail = useIsRail();
  const isNarrow = useIsNarrow();
  const isOver = useSelected(place, (state) => state.sidebar) === 'over' && isNarrow;
  const toggle = useToggleSidebar();
  const roving = useRoving('jobs');
  return (
    <>
      {isOver ? <div className="sidebar-scrim" onPointerDown={toggle} /> : null}
      <nav
        className={`sidebar${isOver ? ' sidebar-over' : ''}`}
        aria-label={words.label}
        data-region="sidebar"
        onKeyDown={(event) => {
          if (isOver && event.key === 'Escape') toggle();
          else roving.onKeyDown(event);
        }}
      >
        <SidebarLink
          stop={roving.button('jobs')}
          icon={<Icon of={List} />}
          label={words.jobs}
          count={total === undefined ? words.unknown : count(total)}
          isCurrent
          isPlace
          onPress={() => {
            if (filter !== '') place.getState().change({ filter: '' });
          }}
        />
        {isRail ? (
          <span className="rail-beat" role="img" aria-label={stateLine(engine)} title={stateLine(engine)}>
            <Bell size={18} isRinging={engine?.state === 'running'} />
          </span>
        ) : (
          <>
            <Filters roving={roving} />
            <Heartbeat />
          </>
        )}
      </nav>
    </>
  );
}
