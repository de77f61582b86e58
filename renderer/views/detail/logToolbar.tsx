/** What can be done with a log: find in it, go on following it, wrap, show times, copy. */
import { ArrowDownToLine, ChevronDown, ChevronUp, Clock, Copy, Search, WrapText } from 'lucide-react';
import { useState } from 'react';
import type { Run } from '../../../shared/model/run';
import { count, counted } from '../../format';
import { useSelected } from '../../store/select';
import { plainText } from '../../ui/ansi';
import { IconButton, IconToggle } from '../../ui/button';
import { SearchField } from '../../ui/searchField';
import { useStores } from '../stores';
import { texts } from './texts';

const words = texts.log;
/** More lines than anybody pastes anywhere. */
const COPY_LINES_MAX = 50_000;

type ToolbarProps = {
  run: Run;
  foundAt: number;
  onGo: (at: number) => void;
  /** From the field back to the lines. */
  onLeave: () => void;
  isFollowing: boolean;
  onFollow: (isOn: boolean) => void;
};

export function LogToolbar({ run, foundAt, onGo, onLeave, isFollowing, onFollow }: ToolbarProps) {
  const { place } = useStores();
  const isWrapped = useSelected(place, (state) => state.isLogWrapped);
  const hasTimes = useSelected(place, (state) => state.hasLogTimes);
  return (
    <div className="bar log-bar">
      <Find foundAt={foundAt} onGo={onGo} onLeave={onLeave} />
      <IconToggle
        icon={Clock}
        label={words.times}
        isSmall
        isOn={hasTimes}
        onChange={(isOn) => place.getState().change({ hasLogTimes: isOn })}
      />
      <IconToggle
        icon={WrapText}
        label={words.wrap}
        isSmall
        isOn={isWrapped}
        onChange={(isOn) => place.getState().change({ isLogWrapped: isOn })}
      />
      {run.state === 'finished' ? null : (
        <IconToggle
          icon={ArrowDownToLine}
          label={words.follow}
          isSmall
          isOn={isFollowing}
          onChange={onFollow}
        />
      )}
      <CopyButton />
    </div>
  );
}

function Find({ foundAt, onGo, onLeave }: Pick<ToolbarProps, 'foundAt' | 'onGo' | 'onLeave'>) {
  const { output } = useStores();
  const search = useSelected(output, (state) => state.search);
  const [text, setText] = useState(search?.text ?? '');
  const total = search?.found.length ?? 0;
  const find = (wanted: string): void => {
    setText(wanted);
    const sought = wanted.toLowerCase();
    void output
      .getState()
      .find(sought, (line) => plainText(line).toLowerCase().includes(sought))
      .then(() => onGo(0));
  };
  const step = (by: number): void => {
    if (total > 0) onGo((foundAt + by + total) % total);
  };
  return (
    <>
      <SearchField
        label={words.find}
        placeholder={words.find}
        clearLabel={words.clear}
        icon={Search}
        value={text}
        onChange={find}
        onSubmit={() => step(1)}
        onLeave={onLeave}
        after={search === null ? null : <Matches at={foundAt} />}
      />
      {total > 1 ? (
        <>
          <IconButton icon={ChevronUp} label={words.previous} isSmall onPress={() => step(-1)} />
          <IconButton icon={ChevronDown} label={words.nextMatch} isSmall onPress={() => step(1)} />
        </>
      ) : null}
    </>
  );
}

function Matches({ at }: { at: number }) {
  const { output } = useStores();
  const total = useSelected(output, (state) => state.search?.found.length ?? 0);
  const isDone = useSelected(output, (state) => state.search?.isDone ?? true);
  const text = !isDone
    ? words.searching(count(total))
    : total === 0
      ? words.noMatch
      : words.matches(count(at + 1), count(total));
  return (
    <span className="bar-hint num" role="status">
      {text}
    </span>
  );
}

/** Copies the log, whatever of it is in the page. */
export function useCopyLog(): () => Promise<void> {
  const { output, copy: copyText } = useStores();
  return async () => {
    const { totals, read } = output.getState();
    const lines = await read(0, COPY_LINES_MAX);
    const text = lines.map((line) => `${plainText(line.text)}${line.isPartial ? '' : '\n'}`).join('');
    const said = counted(lines.length, 'line');
    const isPart = (totals?.lineCount ?? 0) > lines.length;
    await copyText(text, isPart ? words.copiedPart(said) : words.copied(said));
  };
}

function CopyButton() {
  const copy = useCopyLog();
  return <IconButton icon={Copy} label={words.copy} isSmall onPress={() => void copy()} />;
}
